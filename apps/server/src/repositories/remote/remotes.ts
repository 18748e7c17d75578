import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkRemoteUrl,
  createRepository,
  fetchRemote,
  GitError,
  listRemoteRefs,
  openRepository,
  pushRemote,
  type RemoteAccess,
  type RemoteRefs,
  type RemoteUpdate,
  type Repository,
} from '../../git/index.ts'
import type { Kernel, OnStop } from '../../kernel/kernel.ts'
import { changeRepository, type RepositoryRow } from '../store.ts'
import { type ConnectProxy, startConnectProxy } from './connect-proxy.ts'

export interface Remotes {
  /** Asks the other host for its branches: proof that address and credential work. */
  probe(url: string, token: string | undefined): Promise<RemoteRefs>
  /** Brings the mirror up to date, at most every few seconds; calls at once share one fetch. */
  sync(row: RepositoryRow, options?: { force?: boolean }): Promise<void>
  /** Moves branches there, all or none. */
  push(row: LinkedRow, repository: Repository, updates: readonly RemoteUpdate[]): Promise<void>
  sealCredential(row: Pick<RepositoryRow, 'accountId' | 'projectId'>, token: string): Promise<Buffer>
}

const freshMs = 3_000
const probeTimeoutMs = 30_000
const syncTimeoutMs = 100_000

/** Of a repository, what it takes to reach it. */
export type LinkedRow = Pick<
  RepositoryRow,
  'kind' | 'projectId' | 'accountId' | 'remoteUrl' | 'sealedCredential' | 'installationId' | 'externalRepoId'
>

export interface RemotesOptions {
  readonly pathOf: (projectId: string) => string
  readonly onStop: OnStop
  /** For repositories that an installed app reaches: a token that works now. Throws `GitError`. */
  readonly appToken?: ((row: LinkedRow) => Promise<string>) | undefined
}

/** Repositories that live elsewhere. Reads come from a mirror here; writes go there first. */
export function createRemotes(kernel: Kernel, { pathOf, onStop, appToken }: RemotesOptions): Remotes {
  const { envelope, database, clock, config } = kernel
  const running = new Map<string, Promise<void>>()
  const syncedAtMs = new Map<string, number>()
  let proxy: Promise<ConnectProxy> | undefined
  onStop(async () => (await proxy)?.stop())

  async function access(url: string, token: string | undefined, timeoutMs: number): Promise<RemoteAccess> {
    proxy ??= startConnectProxy(kernel.outbound.policy)
    const isSsh = checkRemoteUrl(url).protocol === 'ssh'
    const credential = isSsh
      ? ({ type: 'ssh', privateKey: token ?? '' } as const)
      : ({ type: 'basic', password: token ?? '' } as const)
    return {
      url,
      credential: token === undefined ? null : credential,
      proxyUrl: (await proxy).url,
      knownHostsFile: join(config.dataDir, 'known-git-hosts'),
      timeoutMs,
      ...(config.gitCaFile === undefined ? {} : { caFile: config.gitCaFile }),
    }
  }

  async function accessOf(row: LinkedRow): Promise<RemoteAccess> {
    return access(row.remoteUrl ?? '', await tokenOf(row), syncTimeoutMs)
  }

  async function tokenOf(row: LinkedRow): Promise<string | undefined> {
    if (row.sealedCredential) return envelope.openText(placeOf(row), row.sealedCredential)
    return row.installationId === null ? undefined : appToken?.(row)
  }

  async function fetchNow(row: RepositoryRow): Promise<void> {
    const path = pathOf(row.projectId)
    try {
      if (!existsSync(path)) await createRepository(path, { defaultBranch: row.defaultBranch }).catch(ignoreExisting)
      await fetchRemote(openRepository(path), { ...(await accessOf(row)), maxPackBytes: config.repositoryQuotaBytes })
      syncedAtMs.set(row.projectId, clock.nowMs())
      if (row.status === 'error') await changeRepository(database.db, row.projectId, healthy(clock.now()))
    } catch (error) {
      if (GitError.isInstance(error) && row.lastErrorCode !== error.code) {
        const failure = { status: 'error' as const, lastErrorCode: error.code, lastErrorMessage: error.message }
        await changeRepository(database.db, row.projectId, failure)
      }
      throw error
    }
  }

  return {
    probe: async (url, token) => listRemoteRefs(await access(url, token, probeTimeoutMs)),

    async sync(row, { force = false } = {}) {
      if (row.kind !== 'remote') return
      const age = clock.nowMs() - (syncedAtMs.get(row.projectId) ?? Number.NEGATIVE_INFINITY)
      if (!force && age < freshMs) return
      const shared = running.get(row.projectId) ?? fetchNow(row)
      running.set(row.projectId, shared)
      await shared.finally(() => running.delete(row.projectId))
    },

    async push(row, repository, updates) {
      if (row.kind !== 'remote' || updates.length === 0) return
      await pushRemote(repository, { ...(await accessOf(row)), updates })
    },

    sealCredential: (row, token) => envelope.seal(placeOf(row), token),
  }
}

function placeOf({ accountId, projectId }: Pick<RepositoryRow, 'accountId' | 'projectId'>) {
  return { scope: accountId, table: 'repositories', row: projectId, field: 'sealed_credential' }
}

function healthy(now: Date) {
  return { status: 'active' as const, lastErrorCode: null, lastErrorMessage: null, lastValidatedAt: now }
}

/** Another call has made the mirror in the meantime: that is what was wanted. */
function ignoreExisting(error: unknown): void {
  if (!GitError.isInstance(error, 'already_exists')) throw error
}
