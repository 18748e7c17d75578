import { expectTypeOf } from 'vitest'
import type {
  Account,
  ApiError,
  Assignment,
  AuthSession,
  BackendResult,
  ChangeRequest,
  ClassifiedPart,
  Project,
  SvcClient,
  SvcConfig,
  SvcSession,
  TokenCheck,
} from './index.ts'
import { backendApi, createSvc, createSvcSession, isApiError, listAssignments } from './index.ts'
import type { PartRenderers, useCan, useChangeRequests, useProjects } from './react.ts'
import { createScopedSvc, runWithSvc } from './server.ts'

/** What the public surface promises to the compiler; checked by `npm run typecheck`, never run. */
export async function checkTypes(config: SvcConfig, error: unknown): Promise<void> {
  const svc = createSvc(config)
  expectTypeOf(svc).toEqualTypeOf<SvcClient>()
  expectTypeOf(createScopedSvc(config)).toEqualTypeOf<SvcClient>()
  expectTypeOf(svc.projects.list()).toEqualTypeOf<Promise<Project[]>>()
  expectTypeOf(svc.accounts.list()).toEqualTypeOf<Promise<Account[]>>()
  expectTypeOf(svc.project('p').changeRequests.list('open')).resolves.toEqualTypeOf<{
    change_requests: ChangeRequest[]
  }>()
  expectTypeOf(svc.accounts.audit.export('a')).toEqualTypeOf<Promise<string>>()
  expectTypeOf(svc.accounts.audit.export('a', { format: 'jsonl' })).toEqualTypeOf<Promise<Blob>>()
  expectTypeOf(svc.project('p').files.archive()).toEqualTypeOf<Promise<Blob>>()
  expectTypeOf(svc.validateToken()).toEqualTypeOf<Promise<TokenCheck>>()
  expectTypeOf(listAssignments('a')).toEqualTypeOf<Promise<Assignment[]>>()
  expectTypeOf(backendApi.get<number>('/x')).toEqualTypeOf<Promise<BackendResult<number>>>()
  expectTypeOf(runWithSvc(config, async () => 1)).toEqualTypeOf<Promise<number>>()

  const session = createSvcSession()
  expectTypeOf(session).toEqualTypeOf<SvcSession>()
  expectTypeOf(session.getToken).toEqualTypeOf<SvcConfig['getToken']>()
  expectTypeOf(session.current()).toEqualTypeOf<AuthSession | null>()
  if (isApiError(error)) expectTypeOf(error).toEqualTypeOf<ApiError>()

  // @ts-expect-error a role that does not exist
  svc.accounts.updateMemberRole('a', 'u', 'king')
  // @ts-expect-error a name is required
  svc.accounts.create({})
  // @ts-expect-error a flag that does not exist
  svc.project('p').updateFeatureFlag('teleport', true)
  // @ts-expect-error the server does not answer this
  svc.projects.teleport()
  // @ts-expect-error a token is asked for by a function
  createSvc({ backendUrl: 'x', getToken: 'token' })

  expectTypeOf<ReturnType<typeof useProjects>['data']>().toEqualTypeOf<Project[] | undefined>()
  expectTypeOf<ReturnType<typeof useChangeRequests>['merge']['mutate']>().parameter(0).toHaveProperty('crId')
  expectTypeOf<ReturnType<typeof useCan>['allowed']>().toEqualTypeOf<boolean>()
  expectTypeOf<Exclude<keyof PartRenderers<string>, 'fallback'>>().toEqualTypeOf<ClassifiedPart['kind']>()
}
