import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where things are in the machine. The environment can move them, which is how tests run a daemon on any host. */
export interface Settings {
  readonly runDir: string
  readonly workspace: string
  readonly home: string
  /** What the files API may touch; relative paths resolve in the workspace. */
  readonly fileRoots: readonly string[]
  readonly proxyPort: number
  readonly apiPort: number
  readonly staticPort: number
  /** The folder this program was loaded from. */
  readonly installDir: string
  readonly uploadTtlMs: number
  /** Waits before the runtime is started again; after the last one it stays down. */
  readonly restartBackoffMs: readonly number[]
  /** Where a machine of the warm pool hears who owns it; undefined for one that has an owner from the start. */
  readonly ownerFd: number | undefined
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const workspace = env.SVC_WORKSPACE_DIR ?? '/workspace'
  return {
    runDir: env.SVC_RUN_DIR ?? '/run/svc',
    workspace,
    home: env.SVC_HOME_DIR ?? '/home/agent',
    fileRoots: env.SVC_FILE_ROOTS?.split(':') ?? [workspace, '/tmp', '/home', '/opt'],
    proxyPort: readPort(env.SVC_PROXY_PORT, 3128),
    apiPort: readPort(env.SVC_API_PORT, 4098),
    staticPort: readPort(env.SVC_STATIC_PORT, 3211),
    installDir: dirname(fileURLToPath(import.meta.url)),
    uploadTtlMs: Number(env.SVC_UPLOAD_TTL_MS ?? 3_600_000),
    restartBackoffMs: (env.SVC_RESTART_BACKOFF_MS ?? '500,1000,2000,4000,8000').split(',').map(Number),
    ownerFd: env.SVC_OWNER_FD === undefined ? undefined : Number(env.SVC_OWNER_FD),
  }
}

const readPort = (text: string | undefined, fallback: number) => (text === undefined ? fallback : Number(text))
