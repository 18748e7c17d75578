import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMessageId } from '../sessions/session-world.ts'
import { checkNothingLeft, checkNothingStray } from './sessions-leftovers.ts'
import { createRandom, type FaultRig, type Json, until, type Victim } from './sessions-rig.ts'

/**
 * Rounds of `kill -9` over every kind of process and every phase of a session's life. After each round the session that
 * was hit works again, each of its prompts ran at most once, and whatever a finished turn wrote or a commit acknowledged
 * is there. After the last round nothing is left of any machine.
 */

export const victims: readonly Victim[] = ['server', 'runtime', 'sandboxd', 'database', 'tree']
export const phases = ['create', 'prompt', 'tool', 'commit', 'stop'] as const
type Phase = (typeof phases)[number]

/** How long after a phase began its kill may fall: about as long as the phase takes. */
const spansMs: Record<Phase, number> = { create: 4_000, prompt: 1_500, tool: 2_000, commit: 500, stop: 500 }
/** A machine that stops takes its processes with it at once. */
const insideStopMs = 60
const backTimeoutMs = 150_000

export interface Round {
  readonly victim: Victim
  readonly phase: Phase
}

/** Five rounds have each victim and each phase once; twenty-five have every pair of them. */
export function chooseRounds(count: number, random: () => number): Round[] {
  const shuffle = <T>(list: readonly T[]): T[] =>
    list
      .map((one) => ({ one, rank: random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ one }) => one)
  const [left, right] = [shuffle(victims), shuffle(phases)]
  const block = (shift: number) =>
    shuffle(left.map((victim, index) => ({ victim, phase: right[(index + shift) % phases.length] ?? 'create' })))
  return Array.from({ length: Math.ceil(count / victims.length) }, (_, shift) => block(shift))
    .flat()
    .slice(0, count)
}

interface Written {
  readonly name: string
  readonly promptId: string
}

/** One session of the project, and what it must still have. */
interface Watched {
  readonly sessionId: string
  readonly at: string
  readonly prompts: Written[]
  /** Files that a commit which was answered for has on the branch. */
  readonly committed: Set<string>
}

interface Run {
  /** Where in the sequence of its seed it begins. */
  readonly first?: number
  readonly rounds: number
  readonly seed: number
  readonly say: (line: string) => void
}

/** The rounds whose kill hit a process. */
export async function runRounds(rig: FaultRig, { first = 0, rounds, seed, say }: Run): Promise<Round[]> {
  const random = createRandom(seed)
  const project = await rig.call('POST /v1/projects/provision', { name: 'Faults' })
  const base = `/v1/projects/${project.project_id}`
  const sessions = [await createWatched(rig, base)]
  await bringBack(rig, sessions[0])
  const hits: Round[] = []
  for (const [index, round] of chooseRounds(first + rounds, random)
    .slice(first)
    .entries()) {
    const named = { ...round, name: `r${index}`, random }
    const { watched, isHit, times } = await runRound(rig, base, sessions, named).catch((error) => {
      throw new Error(`round ${first + index}, ${round.victim} during ${round.phase}, seed ${seed}`, { cause: error })
    })
    if (!sessions.includes(watched)) {
      // Two at a time are enough; what the older one had is checked once more before it goes.
      sessions.push(watched)
      const old = sessions.shift()
      if (old) await retire(rig, base, old)
    }
    await checkNothingStray(rig)
    if (isHit) hits.push(round)
    say(`${first + index + 1} ${round.victim} during ${round.phase}${isHit ? '' : ' (gone before)'}: ${times}`)
  }
  for (const watched of sessions) await retire(rig, base, watched)
  await checkNothingLeft(rig, String(project.project_id))
  return hits
}

async function runRound(
  rig: FaultRig,
  base: string,
  sessions: readonly Watched[],
  { victim, phase, name, random }: Round & { name: string; random: () => number },
): Promise<{ watched: Watched; isHit: boolean; times: string }> {
  const isInside = victim === 'runtime' || victim === 'sandboxd'
  const known = sessions.at(-1)
  if (!known) throw new Error('there is no session')
  const watched = phase === 'create' ? draftWatched(base) : known
  if (phase === 'commit') await promptAndWait(rig, watched, `${name}-before`)
  const aim = () => rig.aim(victim, () => externalIdOf(rig, watched))
  // What stops is gone before anybody could look for it.
  const aimed = isInside && phase === 'stop' ? await aim() : undefined
  const acting = begin(rig, base, watched, phase, name)
  if (phase === 'tool') await acting.then(() => waitForTool(rig, watched))
  await sleep(random() * (aimed ? insideStopMs : spansMs[phase]))
  const shoot = aimed ?? (await aim())
  const isHit = await shoot()
  const struckAt = performance.now()
  const since = () => `${((performance.now() - struckAt) / 1000).toFixed(1)} s`
  await acting
  await rig.recover(victim)
  const served = since()
  if (phase === 'create') await createAgain(rig, base, watched)
  await bringBack(rig, watched)
  const back = since()
  await checkKept(rig, base, watched)
  // It works as before, and takes everything that was left over.
  await promptAndWait(rig, watched, `${name}-after`)
  await commit(rig, watched, name)
  await checkKept(rig, base, watched)
  return { watched, isHit, times: `served after ${served}, back after ${back}, prompted and pushed after ${since()}` }
}

async function begin(rig: FaultRig, base: string, watched: Watched, phase: Phase, name: string): Promise<void> {
  const { at, sessionId } = watched
  if (phase === 'create') {
    const made = { session_id: sessionId, pending_prompt: { text: scriptOf('pending') } }
    await rig.tryCall(`POST ${base}/sessions`, made)
  }
  if (phase === 'prompt') await send(rig, watched, name)
  if (phase === 'tool') await send(rig, watched, name, 'run sleep 2')
  if (phase === 'commit') await commit(rig, watched, name).catch(() => undefined)
  if (phase === 'stop') await rig.tryCall(`POST ${at}/stop`)
}

const draftWatched = (base: string): Watched => {
  const sessionId = randomUUID()
  return { sessionId, at: `${base}/sessions/${sessionId}`, prompts: [], committed: new Set() }
}

async function createWatched(rig: FaultRig, base: string): Promise<Watched> {
  const watched = draftWatched(base)
  await rig.call(`POST ${base}/sessions`, { session_id: watched.sessionId })
  return watched
}

/** Whoever got no answer, or a 503, asks again with the same id: it was made, or it is made now. */
async function createAgain(rig: FaultRig, base: string, watched: Watched): Promise<void> {
  const made = { session_id: watched.sessionId, pending_prompt: { text: scriptOf('pending') } }
  let answered: Awaited<ReturnType<FaultRig['tryCall']>>
  // A killed database may serve for a moment yet, on connections that are about to end.
  await until('the server is available', backTimeoutMs, async () => {
    answered = await rig.tryCall(`POST ${base}/sessions`, made)
    return answered?.status !== 503
  })
  if (answered?.status !== 201 && answered?.body.code !== 'session_id_taken') {
    throw new Error(`the session can neither be found nor made: ${JSON.stringify(answered)}`)
  }
}

/** Writes a file, notes its own run, and does something else in between. */
function scriptOf(name: string, between = 'say Working.'): string {
  const lines = [`write kept/${name}.txt: ${name}`, `run echo ${name} >> runs.log`, between, `finish ${name}`]
  return `Go.\n\`\`\`script\n${lines.join('\n')}\n\`\`\`\n`
}

async function send(rig: FaultRig, watched: Watched, name: string, between?: string): Promise<void> {
  const body: Json = {
    client_message_id: name,
    message_id: newMessageId(),
    parts: [{ type: 'text', text: scriptOf(name, between) }],
  }
  const sent = await rig.tryCall(`POST ${watched.at}/prompts`, body)
  if (sent && sent.status < 300) watched.prompts.push({ name, promptId: String(sent.body.prompt_id) })
}

async function promptAndWait(rig: FaultRig, watched: Watched, name: string): Promise<void> {
  await send(rig, watched, name)
  await bringBack(rig, watched)
  const states = await readPrompts(rig, watched)
  if (states.get(name) !== 'completed') throw new Error(`${name} did not complete: ${states.get(name)}`)
}

async function commit(rig: FaultRig, watched: Watched, message: string): Promise<void> {
  const names = await listCompleted(rig, watched)
  const done = await rig.call(`POST ${watched.at}/commit-push`, { message })
  if (done.pushed !== true && done.nothing_to_do !== true) throw new Error(`not pushed: ${JSON.stringify(done)}`)
  for (const name of names) watched.committed.add(name)
}

async function waitForTool(rig: FaultRig, { at }: Watched): Promise<void> {
  await until('a tool call runs', 120_000, async () => {
    const { messages } = await rig.call(`GET ${at}/messages`)
    const found = messages as { parts: { type: string; state?: { status?: string; input?: { command?: string } } }[] }[]
    const tools = found.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool')
    const last = tools.at(-1)?.state
    // On a slow machine it may be over before anybody looks.
    return last?.input?.command === 'sleep 2' && last.status !== 'pending'
  })
}

async function externalIdOf(rig: FaultRig, { sessionId }: Watched): Promise<string | undefined> {
  const rows = await rig.query(
    (sql) => sql<{ id: string }[]>`select external_id as id from svc.sandboxes where sandbox_id = ${sessionId}`,
  )
  return rows[0]?.id
}

/** Ready, with nothing waiting and nothing running. Does what a person would do: start, or restart what failed. */
async function bringBack(rig: FaultRig, watched: Watched | undefined): Promise<void> {
  if (!watched) return
  const { at } = watched
  let last: unknown
  await until(`${at} is back`, backTimeoutMs, async () => {
    const started = await rig.tryCall(`POST ${at}/start?wait_ms=500`)
    const turn = await rig.tryCall(`GET ${at}/turn`)
    const waiting = await rig.tryCall(`GET ${at}/prompts`)
    last = { started, turn, waiting }
    if (started?.status !== 200 || turn?.status !== 200 || waiting?.status !== 200) return false
    if (started.body.stage === 'failed') await rig.tryCall(`POST ${at}/restart`)
    const prompts = waiting.body.prompts as { state: string }[]
    const isIdle = (turn.body.turns as unknown[]).length === 0 && prompts.every(({ state }) => state === 'failed')
    return isIdle && started.body.stage === 'ready'
  }).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(last)}`)
  })
}

/** How each prompt ended, by the client's name for it; its state where it has no turn. */
async function readPrompts(rig: FaultRig, { sessionId }: Watched): Promise<Map<string, string>> {
  const rows = await rig.query(
    (sql) => sql<{ name: string; how: string; turns: number }[]>`
      select prompt.client_message_id as name, count(turn.turn_token)::int as turns,
        coalesce(max(turn.end_reason), prompt.state) as how
      from svc.session_prompts prompt left join svc.session_turns turn
        on turn.prompt_id = prompt.prompt_id and turn.end_reason is distinct from 'undelivered'
      where prompt.session_id = ${sessionId} group by prompt.prompt_id`,
  )
  const twice = rows.filter(({ turns }) => turns > 1)
  if (twice.length > 0) throw new Error(`prompts with two turns: ${JSON.stringify(twice)}`)
  return new Map(rows.map(({ name, how }) => [name, how]))
}

async function listCompleted(rig: FaultRig, watched: Watched): Promise<string[]> {
  return [...(await readPrompts(rig, watched))].flatMap(([name, how]) => (how === 'completed' ? [name] : []))
}

async function checkKept(rig: FaultRig, base: string, watched: Watched): Promise<void> {
  const states = await readPrompts(rig, watched)
  for (const { name } of watched.prompts) {
    if (!['completed', 'interrupted', 'failed', 'aborted'].includes(states.get(name) ?? '')) {
      throw new Error(`the prompt ${name} was acknowledged and is ${states.get(name) ?? 'gone'}`)
    }
  }
  const runs = ((await readInside(rig, watched, 'runs.log')) ?? '').split('\n').filter(Boolean)
  if (new Set(runs).size !== runs.length) throw new Error(`ran twice: ${runs.join(', ')}`)
  for (const name of await listCompleted(rig, watched)) {
    if (!runs.includes(name)) throw new Error(`${name} completed and did not run`)
    const text = await readInside(rig, watched, `kept/${name}.txt`)
    if (text?.trim() !== name) throw new Error(`the file of ${name} is lost: ${text}`)
  }
  for (const name of watched.committed) {
    const path = `kept/${name}.txt`
    const text = await rig.readText(async () => `${base}/files/content?path=${path}&ref=${watched.sessionId}`)
    if (text?.trim() !== name) throw new Error(`${path} was pushed and is not on the branch`)
  }
}

/** A daemon that was killed is called ready until its end is noticed; then the session is woken as a person would. */
async function readInside(rig: FaultRig, watched: Watched, path: string): Promise<string | undefined> {
  return rig.readText(async () => {
    await rig.tryCall(`POST ${watched.at}/start?wait_ms=500`)
    return `/v1/p/${await externalIdOf(rig, watched)}/8000/file/content?path=${path}`
  })
}

/** Numbered without a hole, parked, and gone. */
async function retire(rig: FaultRig, base: string, watched: Watched): Promise<void> {
  await bringBack(rig, watched)
  await checkKept(rig, base, watched)
  const [log] = await rig.query(
    (sql) => sql<{ last: number; rows: number }[]>`
      select coalesce(max(seq), 0)::int as last, count(*)::int as rows from svc.session_events
      where session_id = ${watched.sessionId}`,
  )
  if (log?.rows !== log?.last) throw new Error(`the log has holes: ${JSON.stringify(log)}`)
  await rig.call(`DELETE ${watched.at}`)
}
