import { type Daemon, isConversationRequired, isRuntimeReady } from './daemon.ts'

/** `GET /svc/health`: always an answer, whatever state the machine is in. */
export function describeHealth(daemon: Daemon): Record<string, unknown> {
  const { boot, runtime, repository, settings } = daemon
  const isReady = isRuntimeReady(daemon)
  const bootError = daemon.bootError ?? repository.error ?? runtime?.fault
  return {
    daemon: 'ok',
    status: describeStatus(isReady, bootError, runtime?.state),
    runtimeReady: isReady,
    workload: boot?.env.SVC_WORKLOAD === 'monitor' ? 'monitor' : 'session',
    opencode: runtime?.state ?? 'down',
    uptime_s: Math.floor(process.uptime()),
    opencode_pid: runtime?.pid ?? null,
    opencode_port: runtime?.port ?? 4096,
    static_web_port: daemon.staticPort ?? null,
    repo_required: boot?.repository !== undefined,
    repo_ready: repository.status === 'ready',
    repo: boot?.repository?.url ?? null,
    branch: repository.branch ?? null,
    commit_sha: repository.commitSha ?? null,
    agent_config_etag: boot?.env.SVC_COMPILED_AGENT_CONFIG_ETAG ?? null,
    boot_error: bootError ?? null,
    opencode_session_id: daemon.conversationId ?? null,
    opencode_session_required: isConversationRequired(daemon),
    boot_timeline: daemon.timeline.list(),
    auth: boot ? 'configured' : 'unconfigured',
    workspace: settings.workspace,
  }
}

function describeStatus(isReady: boolean, bootError: string | undefined, runtime: string | undefined): string {
  if (isReady) return 'ok'
  if (bootError !== undefined) return 'error'
  return runtime === 'down' ? 'down' : 'starting'
}
