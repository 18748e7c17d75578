import { mkdirSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { type BootConfig, takeBootConfig } from './boot/boot-config.ts'
import { createTimeline, type Timeline } from './boot/timeline.ts'
import type { Claim } from './boot/wait-for-owner.ts'
import { writeFiles } from './boot/write-files.ts'
import type { Daemon } from './daemon.ts'
import { type AgentEnvironment, createAgentEnvironment } from './environment/agent-environment.ts'
import { killCommands } from './exec/run-command.ts'
import { createRoots } from './files/roots.ts'
import { createStaticServer } from './files/serve-static.ts'
import { createUploads, type Uploads } from './files/uploads.ts'
import { materialise } from './git/materialise.ts'
import { handleUpgrade } from './handle-upgrade.ts'
import { createHttpServer } from './http/serve.ts'
import { forwardToEgress } from './ports/egress-forwarder.ts'
import { listen, portOf } from './ports/listen.ts'
import { openTunnel } from './ports/open-tunnel.ts'
import { loadPty } from './pty/load-pty.ts'
import { createTerminalUpgrades } from './pty/pty-routes.ts'
import { createTerminals, type Terminals } from './pty/terminals.ts'
import { listRoutes, runtimeRoute } from './routes.ts'
import { wakeRuntime } from './runtime/call-runtime.ts'
import { type Runtime, superviseRuntime } from './runtime/supervise-runtime.ts'
import type { Settings } from './settings.ts'

export interface RunningDaemon {
  /** Ends everything the daemon started; the runtime gets five seconds to end by itself. */
  stop(): Promise<void>
}

const runtimeGraceMs = 5_000
const sweepMs = 600_000

/** Boots the machine. The socket answers early, so that everything after it can be watched through health. */
export async function startDaemon(settings: Settings, program: string, claim?: Claim): Promise<RunningDaemon> {
  const timeline = createTimeline(claim ? performance.now() : 0)
  const boot = claim?.boot ?? takeBootConfig(settings.runDir)
  timeline.mark('boot_read')
  for (const folder of [settings.home, settings.workspace]) mkdirSync(folder, { recursive: true })
  const environment = createAgentEnvironment(settings, boot?.env ?? {}, process.env)
  const daemon = createDaemon({ settings, boot, timeline, environment }, claim)
  try {
    writeFiles(boot?.files ?? [])
  } catch (error) {
    daemon.bootError = `A file of the session could not be written: ${error instanceof Error ? error.message : error}.`
  }

  const egress = join(settings.runDir, 'egress.sock')
  const opening = Promise.all([forwardToEgress(settings.proxyPort, egress), forwardToEgress(settings.apiPort, egress)])
  // The runtime reads the workspace with its first request, not at its start: both go on at the same time.
  if (daemon.bootError === undefined) daemon.runtime?.start()
  const ways = await opening
  checkOut(daemon).catch((error: unknown) => console.error('sandboxd: the checkout failed:', error))
  void wakeRuntime(daemon)

  const terminals = createTerminals({
    shell: environment.current().SHELL ?? '/bin/sh',
    cwd: settings.workspace,
    load: () => loadPty(settings.installDir),
    environment: environment.current,
  })
  const roots = createRoots(settings)
  const uploads = createUploads(settings, roots)
  const server = await serve(daemon, terminals, listRoutes({ daemon, roots, uploads, terminals, program }))
  timeline.mark('listening')
  const pages = await servePages(daemon)
  const sweeping = sweepUploads(uploads)

  return {
    async stop() {
      clearInterval(sweeping)
      for (const one of [server, pages, ...ways]) one?.close()
      terminals.close()
      killCommands()
      await daemon.runtime?.stop(runtimeGraceMs)
      rmSync(join(settings.runDir, 'host.sock'), { force: true })
      rmSync(join(settings.runDir, 'agent-env.sh'), { force: true })
    },
  }
}

interface Beginnings {
  readonly settings: Settings
  readonly boot: BootConfig | undefined
  readonly timeline: Timeline
  readonly environment: AgentEnvironment
}

function createDaemon(beginnings: Beginnings, claim: Claim | undefined): Daemon {
  const { settings, boot, timeline, environment } = beginnings
  const status = boot?.repository ? 'pending' : 'absent'
  return {
    settings,
    boot,
    timeline,
    environment,
    runtime: createRuntime(beginnings, claim),
    repository: { status, error: undefined, branch: undefined, commitSha: undefined },
    conversationId: undefined,
    bootError: undefined,
    staticPort: undefined,
    isRuntimeStale: false,
  }
}

function createRuntime(
  { settings, boot, timeline, environment }: Beginnings,
  claim: Claim | undefined,
): Runtime | undefined {
  if (!boot?.runtime) {
    void claim?.waiting?.end()
    return undefined
  }
  return superviseRuntime({
    process: boot.runtime,
    cwd: settings.workspace,
    readyTimeoutMs: 120_000,
    backoffMs: settings.restartBackoffMs,
    waiting: claim?.waiting,
    environment: environment.forRuntime,
    onChange: (label) => timeline.mark(label),
  })
}

async function checkOut(daemon: Daemon): Promise<void> {
  const repository = daemon.boot?.repository
  if (!repository) return
  const { workspace } = daemon.settings
  await materialise({ workspace, repository, environment: daemon.environment.current }, daemon.repository)
  daemon.timeline.mark(`repository_${daemon.repository.status}`)
}

async function serve(daemon: Daemon, terminals: Terminals, routes: ReturnType<typeof listRoutes>): Promise<Server> {
  const path = join(daemon.settings.runDir, 'host.sock')
  const upgrades = createTerminalUpgrades(terminals)
  const server = createHttpServer(daemon, {
    routes,
    fallback: runtimeRoute(daemon),
    upgrade: (request, socket, head) => handleUpgrade(daemon, upgrades, request, socket, head),
    connect: (request, socket, head) => openTunnel(daemon, request, socket, head),
  })
  rmSync(path, { force: true })
  await listen(server, { path })
  return server
}

/** Pages of the workspace; a program that took the port before is left alone. */
async function servePages(daemon: Daemon): Promise<Server | undefined> {
  const { workspace, staticPort } = daemon.settings
  const server = createStaticServer(createRoots({ ...daemon.settings, fileRoots: [workspace] }))
  try {
    await listen(server, { host: '127.0.0.1', port: staticPort })
  } catch (error) {
    console.error(`sandboxd: port ${staticPort} is taken, workspace pages are not served:`, String(error))
    return undefined
  }
  daemon.staticPort = portOf(server)
  return server
}

function sweepUploads(uploads: Uploads): NodeJS.Timeout {
  const sweep = () => {
    uploads.sweep(Date.now()).catch((error: unknown) => console.error('sandboxd: sweeping uploads failed:', error))
  }
  sweep()
  return setInterval(sweep, sweepMs).unref()
}
