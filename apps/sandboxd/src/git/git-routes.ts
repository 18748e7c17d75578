import { isServiceCall } from '../auth/authenticate.ts'
import type { Daemon } from '../daemon.ts'
import { readJson, readText } from '../http/read-body.ts'
import { Refusal, refuse, sendJson } from '../http/reply.ts'
import type { Call, Route } from '../http/route.ts'
import { reloadRuntime } from '../runtime/call-runtime.ts'
import { commitAndPush } from './commit-push.ts'
import type { Checkout } from './materialise.ts'
import { refreshRepository } from './refresh.ts'

const defaultConfigDir = '.svc/opencode'

export function listGitRoutes(daemon: Daemon): readonly Route[] {
  let isBusy = false
  /** One change of the repository at a time: a second caller is told, not queued. */
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isBusy) throw refuse(409, 'git_busy', 'The repository is being committed or refreshed: try again in a moment.')
    isBusy = true
    try {
      return await work()
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw refuse(502, 'git_failed', error instanceof Error ? error.message : String(error))
    } finally {
      isBusy = false
    }
  }

  return [
    {
      method: 'POST',
      path: '/svc/git/commit-push',
      access: 'key',
      async handle({ request, response }) {
        const message = readText(await readJson(request), 'message')
        const checkout = requireCheckout(daemon)
        sendJson(response, 200, await alone(() => commitAndPush(checkout, daemon.repository, message)))
      },
    },
    { method: 'POST', path: '/svc/refresh', access: 'key', handle: (call) => refresh(daemon, call, alone) },
  ]
}

async function refresh(
  daemon: Daemon,
  { request, response, url }: Call,
  alone: <T>(work: () => Promise<T>) => Promise<T>,
) {
  const query = url.searchParams
  const toBase = query.get('base') === '1'
  if (toBase && !isServiceCall(request.headers)) {
    throw refuse(403, 'base_reset_forbidden', 'Only the platform may discard what a session committed.')
  }
  const checkout = requireCheckout(daemon)
  const configDir = query.get('config_dir') === '1' ? (daemon.boot?.env.SVC_CONFIG_DIR ?? defaultConfigDir) : undefined
  const baseSha = query.get('base_sha') ?? undefined
  const changed = await alone(() => refreshRepository(checkout, daemon.repository, { configDir, toBase, baseSha }))
  const reload = query.get('restart') === '0' ? null : await reloadRuntime(daemon)
  const { branch, commitSha } = daemon.repository
  sendJson(response, 200, {
    ok: true,
    changed,
    branch: branch ?? null,
    head_sha: commitSha ?? null,
    opencode_reload: reload,
  })
}

function requireCheckout(daemon: Daemon): Checkout {
  const repository = daemon.boot?.repository
  if (!repository) throw refuse(409, 'no_repository', 'This session has no repository.')
  if (daemon.repository.status !== 'ready') {
    throw refuse(409, 'repository_not_ready', daemon.repository.error ?? 'The repository is still being checked out.')
  }
  return { workspace: daemon.settings.workspace, repository, environment: daemon.environment.current }
}
