import { findOpencode } from '../apps/server/src/runtimes/opencode/find-opencode.ts'
import { formatTable, median } from './support/rounds.ts'
import { type BenchRig, createSession, scriptOf, startBenchRig, waitUntilReady } from './support/session-rig.ts'
import { startBareOpencode } from './support/start-bare-opencode.ts'

/**
 * From the call that makes a session to a runtime that answers in its machine, cold, beside the bare `opencode serve` on
 * the same host; and from a call with a prompt to the first token on its stream, with machines that wait and without.
 * Bound: at most 1.3 times the bare program.
 */

const rounds = 3
const maxRatio = 1.3

export async function run(): Promise<void> {
  const program = findOpencode()
  if (!program) throw new Error('opencode is not installed')
  const cold = await startBenchRig()
  const bareMs: number[] = []
  const readyMs: number[] = []
  const coldTokenMs: number[] = []
  try {
    await measureReady(cold)
    for (let round = 0; round < rounds; round += 1) {
      bareMs.push(await startBareOpencode(program.path))
      readyMs.push(await measureReady(cold))
    }
    for (let round = 0; round < 3; round += 1) coldTokenMs.push(await measureFirstToken(cold))
  } finally {
    await cold.remove()
  }
  const warmTokenMs = await measureWarm()
  const ms = (values: readonly number[]) => `${Math.round(median(values))} ms`
  const ratio = median(readyMs) / median(bareMs)
  console.log(
    formatTable(
      ['from the call', 'median'],
      [
        ['bare opencode serve, listening', ms(bareMs)],
        ['session, cold, ready', `${ms(readyMs)}, ${ratio.toFixed(2)} of bare`],
        ['session, cold, first token', ms(coldTokenMs)],
        ['session in a machine that waited, first token', ms(warmTokenMs)],
      ],
    ),
  )
  const isKept = ratio <= maxRatio
  console.log(
    `${isKept ? '\u2713' : '\u2717'} a cold session takes ${ratio.toFixed(2)} times the bare runtime; at most ${maxRatio}`,
  )
  if (!isKept) process.exitCode = 1
}

async function measureReady(rig: BenchRig): Promise<number> {
  const startedAt = performance.now()
  const sessionId = await createSession(rig)
  await waitUntilReady(rig, sessionId)
  const tookMs = performance.now() - startedAt
  await rig.call(`DELETE ${rig.base}/sessions/${sessionId}`)
  return tookMs
}

async function measureWarm(): Promise<number[]> {
  const rig = await startBenchRig({ SVC_WARM_SANDBOXES: '1' })
  try {
    const tookMs: number[] = []
    for (let round = 0; round < 3; round += 1) {
      await waitForSpare(rig)
      tookMs.push(await measureFirstToken(rig))
    }
    return tookMs
  } finally {
    await rig.remove()
  }
}

/** A machine waits in the pool, and nothing else is being made. */
async function waitForSpare(rig: BenchRig): Promise<void> {
  for (;;) {
    const [row] = await rig.query(
      (sql) => sql<{ spare: number }[]>`
        select count(*)::int as spare from svc.sandboxes where project_id is null and status = 'active'`,
    )
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    if ((row?.spare ?? 0) > 0) return
  }
}

async function measureFirstToken(rig: BenchRig): Promise<number> {
  const startedAt = performance.now()
  const sessionId = await createSession(rig, { pending_prompt: { text: scriptOf('say Hello there.', 'finish') } })
  const leaving = new AbortController()
  const answered = await fetch(`${rig.url()}${rig.base}/sessions/${sessionId}/events`, {
    headers: rig.person.headers,
    signal: leaving.signal,
  })
  await readFirstToken(answered)
  const tookMs = performance.now() - startedAt
  leaving.abort()
  await rig.call(`DELETE ${rig.base}/sessions/${sessionId}`)
  return tookMs
}

/** The first words of an answer; the prompt itself is a message too. */
async function readFirstToken(answered: Response): Promise<void> {
  const answers = new Set<unknown>()
  let text = ''
  for await (const chunk of answered.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1] ?? '{}'
      text = text.slice(end + 2)
      const { type, properties = {} } = JSON.parse(data) as { type?: string; properties?: Frame }
      if (type === 'message.updated' && properties.info?.role === 'assistant') answers.add(properties.info.id)
      if (type === 'message.part.delta' && answers.has(properties.messageID)) return
      const { part } = properties
      if (part?.type === 'text' && part.text !== '' && answers.has(part.messageID)) return
    }
  }
  throw new Error('the stream ended without an answer')
}

interface Frame {
  readonly info?: { readonly id: string; readonly role: string }
  readonly messageID?: string
  readonly part?: { readonly type: string; readonly text?: string; readonly messageID: string }
}
