import {
  createSvc,
  files,
  getClient,
  getSessionHealth,
  isRuntimeReady,
  type StreamEvent,
  type SvcClient,
} from '@svc/sdk'
import { createScopedSvc } from '@svc/sdk/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../../examples/streamed-answer.ts'
import { type SessionWorld, startSessionWorld } from '../sessions/session-world.ts'

/** The session handle on the real platform: a real machine, the real runtime, the scripted model. */

let world: SessionWorld
let svc: SvcClient
beforeAll(async () => {
  world = await startSessionWorld()
  svc = createSvc({ backendUrl: world.url, getToken: async () => world.owner.accessToken })
}, 120_000)
afterAll(() => world?.stop())

const script = (...lines: string[]) => `Do as the script says.\n\`\`\`script\n${lines.join('\n')}\n\`\`\`\n`
const textOf = (parts: readonly { type: string }[]) =>
  parts.map((part) => ('text' in part ? String(part.text) : '')).join('')

test('a session answers, streams, keeps files and is shown, through its handle alone', {
  timeout: 300_000,
}, async () => {
  const made = await svc.project(world.projectId).sessions.create({ name: 'Handle' })
  const session = svc.session(world.projectId, made.session_id ?? '')
  const seen: StreamEvent[] = []
  const stream = session.stream({ onEvent: (event) => seen.push(event) })

  const ready = await session.ensureReady()
  expect(ready.runtimeUrl).toBe(`${world.url}/v1/p/${ready.sandboxId}/8000`)
  expect(isRuntimeReady((await session.health()).health)).toBe(true)
  expect((await getSessionHealth()).ok).toBe(true)
  expect(getClient().url).toBe(ready.runtimeUrl)
  expect(svc.runtime().url).toBe(ready.runtimeUrl)

  const answer = await session.send(script('write hello.txt: Hello\\n', 'run cat hello.txt', 'finish All done.'))
  expect(answer.info.role).toBe('assistant')
  expect(textOf(answer.parts)).toContain('All done.')
  const again = await session.send(script('finish Twice.'))
  expect(textOf(again.parts)).toContain('Twice.')
  await expect.poll(async () => (await session.turn()).turns).toEqual([])
  const messages = await session.messages({ limit: 50 })
  expect(messages.filter(({ info }) => info.role === 'user')).toHaveLength(2)

  expect((await session.files.read('/workspace/hello.txt')).content).toBe('Hello\n')
  const big = new Uint8Array(200_000).map((_, at) => at * 31)
  const progress: number[] = []
  const [stored] = await session.files.upload(new Blob([big]), '/workspace/up', 'big.bin', {
    onProgress: ({ loadedBytes }) => progress.push(loadedBytes),
  })
  expect(stored).toEqual({ path: '/workspace/up/big.bin', size: big.length })
  expect(progress).toEqual([65_536, 131_072, 196_608, 200_000])
  expect(new Uint8Array(await (await files.readBlob('/workspace/up/big.bin')).arrayBuffer())).toEqual(big)
  await files.write('hello.txt', 'Changed\n')
  await files.write('hello.txt', 'Changed twice\n')
  expect((await files.read('hello.txt')).content).toBe('Changed twice\n')
  expect((await files.list('/workspace')).map(({ path }) => path)).toContain('/workspace/hello.txt')
  expect((await files.findText('Changed'))[0]?.path).toContain('hello.txt')
  expect(await files.findFiles('hello')).toContainEqual(expect.stringContaining('hello.txt'))
  await files.copy('hello.txt', 'copies/hello.txt')
  await files.rename('copies/hello.txt', 'copies/moved.txt')
  expect((await files.list('copies')).map(({ name }) => name)).toEqual(['moved.txt'])
  await files.remove('copies')
  await files.mkdir('empty')
  await files.create('empty/file.txt')
  expect((await files.status()).length).toBeGreaterThan(0)

  expect((await session.runtime.app.agents()).length).toBeGreaterThan(0)
  expect(session.previewUrl(3000, '/x')).toMatch(/^http:\/\/p3000-sb/)
  expect(await session.permissions.list()).toEqual([])
  expect(await session.questions.list()).toEqual([])
  const asking = session.send(script('ask Which one? | A | B', 'finish Asked.'))
  await expect.poll(async () => (await session.questions.list()).length, { interval: 300 }).toBe(1)
  const [question] = await session.questions.list()
  await session.questions.reply(question?.id ?? '', [['A']])
  expect(textOf((await asking).parts)).toContain('Asked.')

  const numbers = seen.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  expect([...new Set(numbers)]).toEqual(numbers)
  expect([...numbers].sort((a, b) => a - b)).toEqual(numbers)
  stream.close()

  const scoped = createScopedSvc({ backendUrl: world.url, getToken: async () => world.owner.accessToken })
  const handle = scoped.session(world.projectId, session.sessionId)
  await handle.ensureReady()
  expect((await handle.runtime.session.get(ready.opencodeSessionId)).id).toBe(ready.opencodeSessionId)
  expect(() => scoped.runtime()).toThrow('scoped')

  expect((await session.commit({ message: 'Hello' })).committed).toBe(true)
  expect((await session.transcript({ limit: 5 })).available).toBe(true)
  expect((await session.audit(50)).events.length).toBeGreaterThan(0)
  expect((await session.cost()).total_cost).toBe(0)
  expect((await session.stop()).status).toBe('stopped')
  expect(await session.health()).toMatchObject({ status: 0 })
  expect((await session.storedMessages({ limit: 100 })).messages.length).toBeGreaterThan(3)
  expect(await session.delete()).toEqual({ ok: true })
  await expect(session.get()).rejects.toMatchObject({ status: 404 })
})

test('the example prints an answer as it is written', { timeout: 300_000 }, async () => {
  vi.stubEnv('SVC_URL', world.url)
  vi.stubEnv('SVC_TOKEN', world.owner.accessToken)
  const written: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void written.push(String(text)))
  await run()
  write.mockRestore()
  log.mockRestore()
  vi.unstubAllEnvs()
  expect(written.join('\n')).toContain('Done.')
  expect(written.join('\n')).toContain('hello.txt: Hello')
})
