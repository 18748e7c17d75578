import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { takeBootConfig } from './boot/boot-config.ts'
import { createTimeline } from './boot/timeline.ts'
import { writeFiles } from './boot/write-files.ts'
import type { Daemon } from './daemon.ts'
import { createAgentEnvironment } from './environment/agent-environment.ts'
import { handleUpgrade } from './handle-upgrade.ts'
import { createHttpServer } from './http/serve.ts'
import { forwardToEgress } from './ports/egress-forwarder.ts'
import { listen } from './ports/listen.ts'
import { openTunnel } from './ports/open-tunnel.ts'
import { listRoutes, runtimeRoute } from './routes.ts'
import { superviseRuntime } from './runtime/supervise-runtime.ts'
import type { Settings } from './settings.ts'

export interface RunningDaemon {
  stop(): Promise<void>
}

/** Boots the machine: the socket answers first, so that everything after it can be watched through health. */
export async function startDaemon(settings: Settings): Promise<RunningDaemon> {
  const timeline = createTimeline()
  const boot = takeBootConfig(settings.runDir)
  timeline.mark('boot_read')
  mkdirSync(settings.home, { recursive: true })
  mkdirSync(settings.workspace, { recursive: true })
  const environment = createAgentEnvironment(settings, boot?.env ?? {}, process.env)
  writeFiles(boot?.files ?? [])

  const runtime = boot?.runtime
    ? superviseRuntime({
        process: boot.runtime,
        cwd: settings.workspace,
        readyTimeoutMs: 120_000,
        backoffMs: [500, 1_000, 2_000, 4_000, 8_000],
        environment: environment.current,
        onChange: (label) => timeline.mark(label),
      })
    : undefined
  const daemon: Daemon = {
    settings,
    boot,
    timeline,
    environment,
    runtime,
    repository: { status: 'absent', error: undefined, branch: undefined, commitSha: undefined },
    conversationId: undefined,
    bootError: undefined,
    staticPort: undefined,
  }

  const socketPath = join(settings.runDir, 'host.sock')
  rmSync(socketPath, { force: true })
  const server = createHttpServer(daemon, {
    routes: listRoutes(daemon),
    fallback: runtimeRoute(daemon),
    upgrade: (request, socket, head) => handleUpgrade(daemon, request, socket, head),
    connect: (request, socket, head) => openTunnel(daemon, request, socket, head),
  })
  const egress = join(settings.runDir, 'egress.sock')
  const forwarders = await Promise.all([
    forwardToEgress(settings.proxyPort, egress),
    forwardToEgress(settings.apiPort, egress),
  ])
  runtime?.start()
  await listen(server, { path: socketPath })
  timeline.mark('listening')

  return {
    async stop() {
      for (const one of [server, ...forwarders]) one.close()
      await runtime?.stop(5_000)
      rmSync(socketPath, { force: true })
    },
  }
}
