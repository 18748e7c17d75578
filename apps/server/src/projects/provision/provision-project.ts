import { idempotencyKeyPattern, type operations, ProvisionInput } from '@svc/contract'
import type { StarterTemplate } from '@svc/starters'
import type { z } from 'zod'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { toProjectRecord } from '../project-record.ts'
import { gitUsername, mintPushToken } from '../push-token.ts'
import { claimAttempt, dropAttempt, findAttempt } from '../store/attempts.ts'
import { findProject } from '../store/projects.ts'
import {
  AttemptLost,
  addNewProject,
  makeRepository,
  removeRepository,
  requireAttempt,
  requireRoom,
} from './make-project.ts'

type ProvisionCall = Call<typeof operations.projects.provision>
type Input = z.output<typeof ProvisionInput>

/** A first call counts as in flight for at most this long. */
const leaseMs = 120_000

/** A new project on a new repository. With a key: one project, however often and by however many it is asked for. */
export async function provisionProject(parts: Parts, call: ProvisionCall) {
  const key = readKey(call.body)
  const known = key === undefined ? undefined : await findAttempt(parts.kernel.database.db, call.accountId, key)
  if (known?.status === 'finished') return replay(parts, known.projectId, call.principal)
  if (known && known.leasedUntil > parts.kernel.clock.now()) throw problem('provision_in_flight')
  const input = readInput(call.body)
  const starter = chooseStarter(input)
  await requireRoom(parts, call.accountId)

  const claim = await claimAttempt(parts.kernel.database.db, {
    accountId: call.accountId,
    key,
    home: await parts.home(),
    now: parts.kernel.clock.now(),
    leaseMs,
  })
  if (claim.kind === 'finished') return replay(parts, claim.projectId, call.principal)
  if (claim.kind === 'in_flight') throw problem('provision_in_flight')
  const { attemptId, projectId } = claim
  if (claim.abandonedProjectId !== undefined) await removeRepository(parts, claim.abandonedProjectId)

  try {
    return await makeManaged(parts, call, { attemptId, projectId, hasKey: key !== undefined }, { ...input, starter })
  } catch (error) {
    await removeRepository(parts, projectId)
    await dropAttempt(parts.kernel.database.db, attemptId)
    if (!(error instanceof AttemptLost) || key === undefined) throw error
    const winner = await findAttempt(parts.kernel.database.db, call.accountId, key)
    if (winner?.status === 'finished') return replay(parts, winner.projectId, call.principal)
    throw problem('provision_in_flight')
  }
}

interface Attempt {
  readonly attemptId: string
  readonly projectId: string
  readonly hasKey: boolean
}

async function makeManaged(
  parts: Parts,
  { principal, accountId }: ProvisionCall,
  { attemptId, projectId, hasKey }: Attempt,
  { name, default_branch: defaultBranch = 'main', starter }: Input & { starter: StarterTemplate | undefined },
) {
  const repoName = `${slugOf(name)}-${projectId}`
  await makeRepository(parts, projectId, { principal, name, defaultBranch, starter, repoFullName: repoName })
  const { row, pushToken } = await parts.kernel.database.transact(principal.actor, async (tx) => {
    await requireAttempt(tx, attemptId, hasKey)
    const made = await addNewProject(
      parts,
      tx,
      projectId,
      { principal, accountId, name, action: 'project.provision' },
      {
        kind: 'managed',
        provider: 'managed',
        repoName,
        defaultBranch,
        authMethod: 'service_token',
        visibility: 'private',
      },
    )
    return { row: made, pushToken: await mintPushToken(parts, tx, principal, made) }
  })
  const record = await toProjectRecord(parts, row, principal)
  const seeded = starter !== undefined
  return { ...record, push_token: pushToken, git_username: gitUsername, repo_id: projectId, seeded }
}

/** The first project again, without its secrets. */
async function replay(parts: Parts, projectId: string, principal: Principal) {
  const row = await findProject(parts.kernel.database.db, projectId)
  const record = await toProjectRecord(parts, row, principal)
  return {
    ...record,
    push_token: null,
    git_username: null,
    repo_id: projectId,
    seeded: await isSeeded(parts, projectId),
  }
}

async function isSeeded(parts: Parts, projectId: string): Promise<boolean> {
  const repository = await parts.repositories.findRepository(projectId)
  const manifest = await parts.repositories.readDefaultManifest(repository).catch(() => undefined)
  return manifest !== undefined
}

function readKey(body: ProvisionCall['body']): string | undefined {
  const key = body.idempotency_key
  if (key === undefined || idempotencyKeyPattern.test(key)) return key
  throw invalid([{ path: 'idempotency_key', message: 'must be 1 to 200 characters of A-Z a-z 0-9 . _ : -' }])
}

function readInput(body: ProvisionCall['body']): Input {
  const parsed = ProvisionInput.safeParse(body)
  if (parsed.success) return parsed.data
  throw invalid(parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })))
}

/** Items of the catalog come with the marketplace; until then naming one is refused rather than ignored. */
function chooseStarter(input: Input): StarterTemplate | undefined {
  if (input.source_item_id !== undefined) {
    throw invalid([{ path: 'source_item_id', message: 'is not a project item of the catalog' }])
  }
  if (input.marketplace_items !== undefined && input.marketplace_items.length > 0) {
    throw invalid([{ path: 'marketplace_items', message: `${input.marketplace_items[0]} is not in the catalog` }])
  }
  if (input.seed_starter === false) return undefined
  return input.starter_template ?? 'general'
}

export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return slug.slice(0, 60) || 'project'
}
