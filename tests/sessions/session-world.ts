import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createPerson, type Person } from '../support/people.ts'
import { startTestPlatform } from '../support/platform.ts'

const run = promisify(execFile)

export type Json = Record<string, unknown>

export interface Reply {
  readonly status: number
  readonly body: Json
}

export interface SessionWorld {
  readonly url: string
  readonly platform: Awaited<ReturnType<typeof startTestPlatform>>
  readonly owner: Person
  readonly projectId: string
  /** Below the project, with the owner's credential. */
  call(route: string, body?: unknown, person?: Person): Promise<Reply>
  stop(): Promise<void>
}

/** A whole platform with one project of the starter, and its owner. */
export async function startSessionWorld(env: Record<string, string> = {}): Promise<SessionWorld> {
  const platform = await startTestPlatform(env)
  const owner = await createPerson(platform)
  const provisioned = await send(platform.url, owner, 'POST /v1/projects/provision', { name: 'Sessions' })
  const projectId = String(provisioned.body.project_id)
  return {
    url: platform.url,
    platform,
    owner,
    projectId,
    call: (route, body, person = owner) => {
      const [method = 'GET', path = ''] = route.split(' ')
      return send(platform.url, person, `${method} /v1/projects/${projectId}${path}`, body)
    },
    stop: () => platform.stop(),
  }
}

export async function send(url: string, person: Person, route: string, body?: unknown): Promise<Reply> {
  const [method = 'GET', path = ''] = route.split(' ')
  const response = await fetch(`${url}${path}`, {
    method,
    headers: person.headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Json) }
}

/** A commit on the default branch, pushed by its owner with git itself. */
export async function pushFiles(world: SessionWorld, files: Readonly<Record<string, string>>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-push-'))
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: folder })
  try {
    const { host } = new URL(world.url)
    await git('clone', '-q', `http://x:${world.owner.accessToken}@${host}/v1/git/${world.projectId}.git`, '.')
    for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
    await git('add', '-A')
    await git('commit', '-q', '-m', 'Change')
    await git('push', '-q', 'origin', 'HEAD')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What the last tool call of a conversation printed. */
export async function readOutput(world: SessionWorld, sessionId: string): Promise<string> {
  const { body } = await world.call(`GET /sessions/${sessionId}/messages`)
  const messages = body.messages as { parts: { type: string; state?: { output?: string } }[] }[]
  const tools = messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool')
  return tools.at(-1)?.state?.output ?? ''
}

export const scriptOf = (...lines: string[]) => `Go.\n\`\`\`script\n${lines.join('\n')}\n\`\`\`\n`

export async function waitUntilReady(world: SessionWorld, sessionId: string, timeoutMs = 180_000): Promise<Json> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const { body } = await world.call(`POST /sessions/${sessionId}/start?wait_ms=8000`)
    if (body.stage === 'ready') return body
    if (body.stage === 'failed' || Date.now() > deadline) throw new Error(`not ready: ${JSON.stringify(body)}`)
    await sleep(100)
  }
}

let counter = 0

/** A message id as clients make them. */
export function newMessageId(): string {
  counter += 1
  const stamp = BigInt.asUintN(48, BigInt(Date.now()) * 4096n + BigInt(counter % 4096))
  const tail = randomUUID().replaceAll('-', '').slice(0, 14)
  return `msg_${stamp.toString(16).padStart(12, '0')}${tail}`
}

export function promptBody(text: string, clientMessageId: string = randomUUID()): Json {
  return { client_message_id: clientMessageId, message_id: newMessageId(), parts: [{ type: 'text', text }] }
}

export async function waitUntilIdle(world: SessionWorld, sessionId: string, timeoutMs = 180_000): Promise<Json> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    // In this order: a prompt that has left the queue has its turn by then.
    const prompts = await world.call(`GET /sessions/${sessionId}/prompts`)
    const turn = await world.call(`GET /sessions/${sessionId}/turn`)
    const isIdle = (turn.body.turns as unknown[]).length === 0 && (prompts.body.prompts as unknown[]).length === 0
    if (isIdle && turn.body.last_ended) return turn.body
    if (Date.now() > deadline) {
      throw new Error(`still working: ${JSON.stringify(turn.body)} ${JSON.stringify(prompts.body)}`)
    }
    await sleep(200)
  }
}

export interface Frame {
  readonly id: number | undefined
  readonly data: { seq?: number; type: string; properties: Json }
}

/** Frames of a session's stream until the reader stops; a broken stream ends it. */
export async function* followEvents(
  url: string,
  person: Person,
  path: string,
  options: { lastEventId?: number; signal?: AbortSignal } = {},
): AsyncGenerator<Frame> {
  const response = await fetch(`${url}${path}`, {
    headers: {
      ...person.headers,
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': String(options.lastEventId) }),
    },
    ...(options.signal ? { signal: options.signal } : {}),
  })
  if (response.status !== 200 || !response.body) throw new Error(`stream refused: ${response.status}`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const frame = parseFrame(text.slice(0, end))
      text = text.slice(end + 2)
      if (frame) yield frame
    }
  }
}

function parseFrame(text: string): Frame | undefined {
  const lines = text.split('\n')
  const data = lines.find((line) => line.startsWith('data: '))?.slice(6)
  const id = lines.find((line) => line.startsWith('id: '))?.slice(4)
  if (data === undefined || data === '{}') return undefined
  return { id: id === undefined ? undefined : Number(id), data: JSON.parse(data) as Frame['data'] }
}
