import type { Daemon } from '../daemon.ts'
import { readJson } from '../http/read-body.ts'
import { refuse, sendJson } from '../http/reply.ts'
import type { Call } from '../http/route.ts'
import { reloadRuntime } from '../runtime/call-runtime.ts'
import { describeTurn } from '../runtime/describe-turn.ts'

/** Names that would change how programs run instead of what they know. */
const reserved =
  /^(OPENCODE_.*|PORT|PATH|HOME|PWD|USER|LOGNAME|SHELL|HOSTNAME|TERM|TMPDIR|NODE_ENV|NODE_OPTIONS|LD_PRELOAD|LD_LIBRARY_PATH|BASH_ENV|ENV|IFS|PS4|PROMPT_COMMAND)$/
const wellFormed = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

let isSyncing = false

/** `POST /svc/env`: what the agent may know changed. New shells see it; the runtime is reloaded when it has to be. */
export async function syncEnvironment(daemon: Daemon, { request, response }: Call): Promise<void> {
  const body = await readJson(request, 16 * 1024 * 1024)
  if (isSyncing) throw refuse(409, 'sync_in_progress', 'The environment is being changed: try again in a moment.')
  isSyncing = true
  try {
    sendJson(response, 200, await applyEnvironment(daemon, body))
  } finally {
    isSyncing = false
  }
}

async function applyEnvironment(daemon: Daemon, body: Record<string, unknown>) {
  const revision = String(body.revision ?? '')
  const given = readVariables(body.env, 'env')
  const withheld = Object.keys(given).filter((name) => reserved.test(name) || !wellFormed.test(name))
  const allowed = Object.fromEntries(Object.entries(given).filter(([name]) => !withheld.includes(name)))
  const result = daemon.environment.deliver(allowed)
  const forRuntime = body.opencodeEnv === undefined ? undefined : readVariables(body.opencodeEnv, 'opencodeEnv')
  const isRuntimeChanged = forRuntime !== undefined && daemon.environment.deliverToRuntime(forRuntime)
  daemon.isRuntimeStale ||= isRuntimeChanged
  return {
    ok: true,
    changed: result.changed || isRuntimeChanged,
    revision,
    names: daemon.environment.names,
    exported: result.exported,
    managed: result.managed,
    withheld,
    agent_env_written: result.changed,
    opencode_reload: await reload(daemon, body.refreshModels === true),
  }
}

/** A running turn is worth more than a fresh environment: the runtime keeps its old one until a later call finds it idle. */
async function reload(daemon: Daemon, mustReload: boolean) {
  if (daemon.runtime?.state !== 'ok' || !(daemon.isRuntimeStale || mustReload)) return null
  const { turn_in_flight } = await describeTurn(daemon, null, null)
  if (turn_in_flight) return 'kept-old'
  if (!daemon.isRuntimeStale) return reloadRuntime(daemon)
  daemon.isRuntimeStale = false
  await daemon.runtime.restart()
  return 'restarted'
}

function readVariables(value: unknown, name: string): Record<string, string> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = isRecord ? Object.entries(value) : []
  if (!isRecord || entries.some(([, text]) => typeof text !== 'string' || text.includes('\0'))) {
    throw refuse(400, 'bad_request', `${name} must be an object of strings.`)
  }
  return Object.fromEntries(entries.map(([key, text]) => [key, String(text)]))
}
