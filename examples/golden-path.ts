/**
 * The whole way, against a running server: a project, an agent's session with the built-in scripted model, its stream,
 * a file it writes and runs, a commit, a change request, the merge, and the audit log. Plain `fetch`, no library.
 *
 *   npm start                          # in one terminal
 *   npm run example:golden-path        # in another
 *
 * Set SVC_TOKEN to a token of yours. Without one the first-run link is used while nobody has used it (read from
 * `$SVC_DATA_DIR/first-run-link`). No key and no network is needed.
 */

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const base = (process.env.SVC_URL ?? 'http://127.0.0.1:8008').replace(/\/+$/, '')
const dataDir = process.env.SVC_DATA_DIR ?? '.data'
const begin = performance.now()
let before = begin

type Json = Record<string, unknown>

const request = `Please say hello.

\`\`\`script
say I am the scripted model: I do exactly what this script says.
look .
write hello.sh: echo "Hello from an agent"\\n
run sh hello.sh
finish hello.sh is written, and it ran.
\`\`\`
`

export async function run(): Promise<void> {
  try {
    await tour()
  } catch (error) {
    console.log(`✗ ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}

export async function tour(): Promise<void> {
  const token = await signIn()
  say('signed in')

  const project = await call(token, 'POST /v1/projects/provision', { name: `Golden path ${Date.now().toString(36)}` })
  const at = `/v1/projects/${text(project, 'project_id')}`
  say(`made the project ${text(project, 'name')}, a repository with a manifest`)

  const session = await call(token, `POST ${at}/sessions`, { pending_prompt: { text: request } })
  const sessionId = text(session, 'session_id')
  const here = `${at}/sessions/${sessionId}`
  say(`started a session of the agent ${text(session, 'agent_name')}; its prompt is stored and runs once`)

  const ready = await waitUntilReady(token, here)
  say(`its sandbox is ready: ${text(ready, 'runtime_url')}`)

  await watch(token, `${here}/events?after=0`)
  say('the turn is over; every event had the number after the one before')

  const committed = await call(token, `POST ${here}/commit-push`, { message: 'Say hello' })
  say(`committed and pushed ${text(committed, 'head_sha').slice(0, 12)} to the session's branch`)

  const title = { title: 'Say hello', head_ref: sessionId, session_id: sessionId }
  const opened = await call(token, `POST ${at}/change-requests`, title)
  const merged = await call(token, `POST ${at}/change-requests/${text(opened, 'cr_id')}/merge`)
  const commit = text(asRow(merged.merge), 'merge_commit_sha').slice(0, 12)
  say(`change request #${String(opened.number)} is merged: ${commit}`)

  const file = await call(token, `GET ${at}/files/content?path=hello.sh`)
  say(`hello.sh on the default branch: ${JSON.stringify(text(file, 'content'))}`)

  await call(token, `POST ${here}/stop`)
  const transcript = await call(token, `GET ${here}/transcript`)
  say(`stopped; the conversation of ${String(transcript.message_count)} messages is still there`)

  const audit = asRows((await call(token, `GET ${here}/audit?limit=1000`)).events)
  const actions = audit.map((event) => text(event, 'action')).filter((action) => action.startsWith('session.'))
  say(`${audit.length} audit events of this session, among them ${[...new Set(actions)].join(', ')}`)

  const links = await verifyChain(token, text(project, 'account_id'))
  say(`the account's audit log holds together: ${links} events, each over the one before`)
  console.log(`✓ the golden path took ${seconds(performance.now() - begin)}`)
}

async function waitUntilReady(token: string, here: string): Promise<Json> {
  for (;;) {
    const start = await call(token, `POST ${here}/start?wait_ms=8000`)
    if (start.stage === 'ready') return start
    if (start.stage === 'failed') throw new Error(`the session failed: ${JSON.stringify(start.failure)}`)
  }
}

/** Prints what happens, until the turn is over. */
async function watch(token: string, path: string): Promise<void> {
  const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`)
  const decoder = new TextDecoder()
  let rest = ''
  let last = 0
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true })
    const frames = rest.split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data: '))
      const event = asRow(JSON.parse(data?.slice(6) ?? '{}'))
      if (typeof event.seq === 'number' && event.seq !== last + 1) throw new Error(`event ${last + 1} is missing`)
      if (typeof event.seq === 'number') last = event.seq
      show(event)
      if (event.type === 'turn.ended') return
    }
  }
  throw new Error('the stream ended before the turn did')
}

/** Every event names the hash of the one before it; `npm run audit:verify` also checks each hash and the signature. */
async function verifyChain(token: string, accountId: string): Promise<number> {
  const url = `${base}/v1/accounts/${accountId}/audit/export?format=jsonl&limit=10000`
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const rows = (await reply.text())
    .split('\n')
    .filter(Boolean)
    .map((line) => asRow(JSON.parse(line)))
  const events = rows.filter((row) => typeof row.hash === 'string')
  for (const [index, event] of events.entries()) {
    const previous = events[index - 1]
    if (previous && event.previous_hash !== previous.hash)
      throw new Error(`the chain breaks at ${String(event.sequence)}`)
  }
  return events.length
}

function show({ seq, type, properties }: Json): void {
  const part = asRow(asRow(properties).part)
  const state = asRow(part.state)
  if (type !== 'message.part.updated') return
  if (part.type === 'tool' && state.status === 'completed') {
    const shown = String(state.output ?? state.title).split('\n')[0]
    console.log(`           ${String(seq).padStart(4)}  ${String(part.tool)}: ${shown}`)
  }
  const isDone = asRow(part.time).end !== undefined
  if (part.type === 'text' && isDone)
    console.log(`           ${String(seq).padStart(4)}  “${String(part.text).trim()}”`)
}

async function signIn(): Promise<string> {
  if (process.env.SVC_TOKEN) return process.env.SVC_TOKEN
  const link = await readFile(join(dataDir, 'first-run-link'), 'utf8').catch(() => undefined)
  if (link === undefined) throw new Error(`Set SVC_TOKEN: there is no unused first-run link in ${dataDir}.`)
  const token = new URL(link.trim()).searchParams.get('token') ?? ''
  const password = randomBytes(12).toString('base64url')
  const email = 'owner@example.com'
  const reply = await fetch(`${base}/v1/auth/first-run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, email, password }),
  })
  const answered = asRow(await reply.json())
  if (!reply.ok) throw new Error(`first run answered ${reply.status}: ${JSON.stringify(answered)}`)
  console.log(`           the first person is ${email}, with the password ${password}`)
  return text(asRow(answered.session), 'access_token')
}

async function call(token: string, route: string, body?: Json): Promise<Json> {
  const [method = 'GET', path = ''] = route.split(' ')
  const reply = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answered = asRow(await reply.json())
  if (reply.ok) return answered
  throw new Error(`${route} answered ${reply.status}: ${String(answered.error)} ${String(answered.next ?? '')}`)
}

function say(what: string): void {
  const now = performance.now()
  console.log(`${seconds(now - before).padStart(8)}   ${what}`)
  before = now
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`

function asRow(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function asRows(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asRow) : []
}

function text(from: Json, name: string): string {
  const value = from[name]
  if (typeof value === 'string') return value
  throw new Error(`the answer has no ${name}`)
}
