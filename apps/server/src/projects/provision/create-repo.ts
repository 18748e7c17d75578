import type { operations } from '@svc/contract'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import { isNameTaken } from '../../repositories/index.ts'
import type { Parts } from '../parts.ts'
import { toProjectRecord } from '../project-record.ts'
import { claimAttempt, dropAttempt } from '../store/attempts.ts'
import { makeAtHost } from './make-at-host.ts'
import { addNewProject, makeRepository, removeRepository, requireAttempt, requireRoom } from './make-project.ts'

type CreateRepoCall = Call<typeof operations.projects.createRepo>

const maxTries = 12
const leaseMs = 120_000
const defaultBranch = 'main'

/** A project on a new repository whose name the caller chooses; empty unless a starter is named. */
export async function createRepoProject(parts: Parts, call: CreateRepoCall) {
  const { body, principal, accountId } = call
  const { database, clock } = parts.kernel
  if (body.source_item_id !== undefined) {
    throw invalid([{ path: 'source_item_id', message: 'is not a project item of the catalog' }])
  }
  await requireRoom(parts, accountId)
  const claim = await claimAttempt(database.db, {
    accountId,
    key: undefined,
    home: await parts.home(),
    now: clock.now(),
    leaseMs,
  })
  if (claim.kind !== 'mine') throw new Error('an attempt without a key is always new')
  const { attemptId, projectId } = claim
  const { installation_id: installationId } = body
  const made =
    installationId === undefined ? makeHere(parts, call, projectId) : makeAtHost(parts, call, projectId, installationId)
  try {
    const { repository, undo } = await made
    const row = await database
      .transact(principal.actor, async (tx) => {
        await requireAttempt(tx, attemptId, false)
        const metadata = body.description === undefined ? {} : { description: body.description }
        const name = repository.repoName
        return addNewProject(
          parts,
          tx,
          projectId,
          { principal, accountId, name, action: 'project.create', metadata },
          repository,
        )
      })
      .catch(async (error: unknown) => {
        await undo()
        throw error
      })
    return await toProjectRecord(parts, row, principal)
  } catch (error) {
    await removeRepository(parts, projectId)
    await dropAttempt(database.db, attemptId)
    throw error
  }
}

async function makeHere(parts: Parts, { accountId, body, principal }: CreateRepoCall, projectId: string) {
  const repoName = await chooseName(parts, accountId, body.name)
  const starter = body.starter_template
  await makeRepository(parts, projectId, { principal, name: repoName, defaultBranch, starter, repoFullName: repoName })
  const visibility = body.private === false ? 'public' : 'private'
  const authMethod = 'service_token'
  return {
    repository: { kind: 'managed' as const, provider: 'managed', repoName, defaultBranch, authMethod, visibility },
    // Whatever fails removes the repository by its project's id.
    undo: async () => undefined,
  }
}

/** The name, or with a number behind it when it is taken. The unique index has the last word. */
async function chooseName(parts: Parts, accountId: string, wanted: string): Promise<string> {
  for (let attempt = 1; attempt <= maxTries; attempt += 1) {
    const name = attempt === 1 ? wanted : `${wanted}-${attempt}`
    if (!(await isNameTaken(parts.kernel.database.db, accountId, name))) return name
  }
  throw problem('name_taken', { say: `${wanted} and ${maxTries - 1} names like it are taken.` })
}
