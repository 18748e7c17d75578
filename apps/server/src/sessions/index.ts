import { z } from 'zod'
import type { Actor } from '../kernel/actor.ts'
import type { Capability } from '../kernel/capability.ts'
import { defineJob, defineSchedule } from '../kernel/jobs/index.ts'
import { repeat } from '../kernel/jobs/repeat.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Principal } from '../kernel/principal.ts'
import { readNodeId } from '../sandboxes/index.ts'
import { openFor } from './access.ts'
import { type CreateInput, type Creator, draftSession, insertSession } from './create/create-session.ts'
import { requireAgent } from './create/require-agent.ts'
import { sessionChanged, sessionPrompted } from './events.ts'
import { requestBoot } from './lifecycle/claim-boot.ts'
import { heedChange } from './lifecycle/heed-others.ts'
import { createLiveSessions } from './lifecycle/live-sessions.ts'
import { noteMachine } from './lifecycle/machine-lost.ts'
import { repairSessions, resumeSessions } from './lifecycle/repair.ts'
import type { Admission } from './lifecycle/running.ts'
import { createSignOfLife } from './lifecycle/sign-of-life.ts'
import { stopSession } from './lifecycle/stop-session.ts'
import { createActivity, sweep } from './lifecycle/sweep.ts'
import { createLogTails } from './log/log-tails.ts'
import { rememberProjects } from './machine-projects.ts'
import { askMachine, type MachineQuestion, openMachine } from './open-machine.ts'
import type { Parts, SessionsOptions } from './parts.ts'
import { admitPrompt } from './prompts/admit-prompt.ts'
import { deliverPrompt } from './prompts/deliver-prompt.ts'
import { sessionRoutes } from './routes.ts'
import { syncSecrets } from './settings/sync-secrets.ts'
import { openShare } from './shares/read-public.ts'
import { trimLogs } from './store/log.ts'
import { isNodeUp } from './store/nodes.ts'
import { findSession } from './store/sessions.ts'

export { sessionChanged, sessionLogged } from './events.ts'
export type { MachineQuestion } from './open-machine.ts'
export type { MachineSource, ModelSource, RuntimeSource, SessionLimits, SessionsOptions } from './parts.ts'

export type Sessions = ReturnType<typeof createSessions>

interface Feedback {
  readonly projectId: string
  readonly sessionId: string
  readonly crId: string
  readonly text: string
}

const sweepMs = 15_000
const noteMs = 5_000
const keepEvents = 200_000
const keepDays = 30

/** An agent at work in a sandbox: from the first prompt to the last event of its log. */
export function createSessions(kernel: Kernel, options: SessionsOptions) {
  const live = createLiveSessions(() => parts)
  const nodeId = readNodeId(kernel.config.dataDir)
  const signOfLife = createSignOfLife(kernel, nodeId)
  const parts: Parts = { ...options, kernel, live, tails: createLogTails(kernel), nodeId, signOfLife }
  const { sandboxes, onStop } = options
  kernel.events.subscribe(sandboxes.machineChanged, (change) => noteMachine(parts, change))
  kernel.events.subscribe(sessionChanged, ({ session_id }) => heedChange(parts, session_id))
  kernel.events.subscribe(sessionPrompted, ({ session_id }) => live.deliver(session_id))
  const trimming = createTrimming(kernel)
  const capability: Capability = {
    routes: sessionRoutes(parts),
    jobs: [trimming],
    schedules: [defineSchedule({ name: 'sessions.trim-logs', cron: '41 * * * *', job: trimming, payload: {} })],
  }

  return {
    ...capability,
    /** Before anybody is served. */
    async repair(): Promise<void> {
      await signOfLife.note()
      await repairSessions(parts)
    },
    /** Once the port is open: goes on with what a stop or a crash cut off, and looks after what runs. */
    async start(): Promise<void> {
      await resumeSessions(parts)
      const { log, clock } = kernel
      const sweeping = repeat({ name: 'the sweep of sessions', everyMs: sweepMs, log, clock }, () => sweep(parts))
      const noting = repeat({ name: 'the sign of life', everyMs: noteMs, log, clock }, signOfLife.note)
      onStop(async () => {
        await Promise.all([sweeping.stop(), noting.stop()])
        await live.stop()
      })
    },
    findSession: (sessionId: string) => findSession(kernel.database.db, sessionId),
    /** Starts one for a caller of another operation; its id. Limits and refusals are those of every session. */
    async startFor(creator: Creator, input: CreateInput): Promise<string> {
      const { sessionId } = await insertSession(parts, creator, await draftSession(parts, creator, input))
      return sessionId
    },
    /** The session a caller names; 404 unless they may open it. */
    open: (principal: Principal, sessionId: string) => openFor(parts, principal, sessionId),
    /** The same by the machine it runs in, for the proxy. */
    openMachine: (principal: Principal, externalId: string, asked?: MachineQuestion) =>
      openMachine(parts, principal, externalId, asked),
    /** What opening it takes, asked ahead. */
    askMachine: (principal: Principal, externalId: string) => askMachine(parts, principal, externalId),
    projectOfMachine: rememberProjects(async (externalId) => {
      const machine = await sandboxes.findByExternalId(externalId)
      return machine && (await findSession(kernel.database.db, machine.sandboxId))?.projectId
    }),
    /** Brings a parked session back; does not wait for it. */
    async wake(sessionId: string): Promise<void> {
      await requestBoot(parts, sessionId)
    },
    /** Parks a session on the operator's word; nothing for one that does not run. */
    async park(actor: Actor, sessionId: string, detail: string): Promise<void> {
      const row = await findSession(kernel.database.db, sessionId)
      if (row) await stopSession(parts, actor, sessionId, { action: 'session.stop', detail })
    },
    /** Whether another server, which is there now, has the machines of this data directory. */
    isAtOtherServer: async (node: string) => node !== nodeId && isNodeUp(kernel.database.sql, node),
    noteActivity: createActivity(parts),
    /**
     * Throws unless this caller may prompt this session so; token, secrets and configuration are current after it. Whoever
     * passes the prompt on ends the admission.
     */
    async admitPrompt(
      principal: Principal,
      { sessionId }: { readonly sessionId: string },
      prompt: { readonly agent: string | undefined },
    ): Promise<Admission> {
      const { row } = await openFor(parts, principal, sessionId)
      return admitPrompt(parts, row, await requireAgent(parts, { principal }, row, prompt.agent))
    },
    /** Queues a prompt on the platform's own behalf, waking the session; false when there is no such session. */
    deliverPrompt: (sessionId: string, text: string, origin: string) => deliverPrompt(parts, sessionId, text, origin),
    /** What a reviewer asks for goes to the session whose work it is. */
    async deliverFeedback({ projectId, sessionId, crId, text }: Feedback): Promise<boolean> {
      if ((await findSession(kernel.database.db, sessionId))?.projectId !== projectId) return false
      return deliverPrompt(parts, sessionId, `Changes were requested on your change request:\n\n${text}`, `cr:${crId}`)
    },
    /** Brings changed secrets of a project to its sessions that run. */
    syncSecrets: (projectId: string) => syncSecrets(parts, projectId),
    /** A public link by its token: 404 unknown, 410 ended. */
    openShare: (token: string, use?: { readonly counts?: boolean }) => openShare(parts, token, use),
  }
}

function createTrimming(kernel: Kernel) {
  return defineJob({
    name: 'sessions.trim-logs',
    payload: z.object({}),
    maxAttempts: 3,
    async run() {
      const olderThan = new Date(kernel.clock.nowMs() - keepDays * 86_400_000)
      await trimLogs(kernel.database.sql, { keepEvents, olderThan })
    },
  })
}
