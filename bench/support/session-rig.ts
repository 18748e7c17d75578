import { join } from 'node:path'
import { type FaultRig, type Json, startFaultRig, until } from '../../tests/faults/sessions-rig.ts'

export interface BenchRig extends FaultRig {
  /** Below the one project. */
  readonly base: string
  readonly projectId: string
}

/** The built server with a database and a project of its own. */
export async function startBenchRig(env: Record<string, string> = {}): Promise<BenchRig> {
  const rig = await startFaultRig(join(process.cwd(), 'apps', 'server', 'dist', 'main.mjs'), env)
  const project = await rig.call('POST /v1/projects/provision', { name: 'Bench' })
  const projectId = String(project.project_id)
  return { ...rig, projectId, base: `/v1/projects/${projectId}` }
}

export async function createSession({ call, base }: BenchRig, body: Json = {}): Promise<string> {
  return String((await call(`POST ${base}/sessions`, body)).session_id)
}

/** The start payload of a session whose runtime answers. */
export async function waitUntilReady({ call, base }: BenchRig, sessionId: string): Promise<Json> {
  for (;;) {
    const started = await call(`POST ${base}/sessions/${sessionId}/start?wait_ms=8000`)
    if (started.stage === 'ready') return started
    if (started.stage === 'failed') throw new Error(`the session failed: ${JSON.stringify(started.failure)}`)
  }
}

export async function waitUntilIdle({ call, base }: BenchRig, sessionId: string): Promise<void> {
  await until('the session is idle', 120_000, async () => {
    const { turns, last_ended } = await call(`GET ${base}/sessions/${sessionId}/turn`)
    return (turns as unknown[]).length === 0 && last_ended !== undefined
  })
}

export const scriptOf = (...lines: string[]) => `Go.\n\`\`\`script\n${lines.join('\n')}\n\`\`\`\n`
