import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemActor } from '../../kernel/actor.ts'
import { newId } from '../../kernel/ids/index.ts'
import { followRuntime } from '../log/follow-runtime.ts'
import { readLogPage } from '../store/log.ts'
import { changePrompt, listWaiting } from '../store/prompts.ts'
import { findLastEnded, findOpenTurn } from '../store/turns.ts'
import { type SessionRig, startSessionRig } from '../testing/session-rig.ts'
import { queuePrompt } from './add-prompt.ts'
import { mintMessageId } from './message-id.ts'
import { pumpPrompts } from './pump-prompts.ts'

let rig: SessionRig
beforeAll(async () => {
  rig = await startSessionRig()
})
afterAll(() => rig.stop())

type Running = Awaited<ReturnType<SessionRig['addRunning']>>

async function queue({ row }: Running, text: string, clientMessageId: string = newId()) {
  return rig.kernel.database.transact(systemActor, (tx) =>
    queuePrompt(tx, row, { clientMessageId, messageId: mintMessageId(Date.now()), parts: [{ type: 'text', text }] }),
  )
}

const pump = (running: Running) => pumpPrompts(rig.parts, running)
const texts = ({ fake }: Running) => fake.taken.map(({ parts }) => parts[0]?.text)
const types = async ({ row }: Running) =>
  (await readLogPage(rig.kernel.database.db, row.sessionId, 0, 1000)).map(({ type }) => type)

describe('the queue of prompts', () => {
  test('fifty sends of one client message are one prompt', async () => {
    const running = await rig.addRunning()
    const rows = await Promise.all(Array.from({ length: 50 }, () => queue(running, 'once', 'same')))
    expect(rows.filter((row) => row !== undefined)).toHaveLength(1)
    await Promise.all([pump(running), pump(running)])
    expect(texts(running)).toEqual(['once'])
  })

  test('a second prompt waits for the end of the first one’s turn', async () => {
    const running = await rig.addRunning()
    await queue(running, 'first')
    await queue(running, 'second')
    const follower = followRuntime(rig.parts, running, { onIdle: () => void pump(running), onLost: () => undefined })
    await pump(running)
    await pump(running)
    expect(texts(running)).toEqual(['first'])
    running.fake.finish()
    await expect.poll(() => texts(running)).toEqual(['first', 'second'])
    running.fake.finish()
    await expect
      .poll(async () => (await types(running)).filter((type) => type.startsWith('turn.')))
      .toEqual(['turn.started', 'turn.ended', 'turn.started', 'turn.ended'])
    await follower.stop()
    const [first, second] = running.fake.taken
    expect((first?.messageId ?? '') < (second?.messageId ?? '')).toBe(true)
  })

  test.each([
    ['goes quiet between two tries was stopped', [], 'aborted'],
    ['gives up after its last try failed', [{ name: 'APIError' }], 'failed'],
    ['tries again and answers is done', [{ status: 'busy' }], 'completed'],
  ])('a turn whose runtime %s', async (_name, after: { name?: string; status?: string }[], endReason) => {
    const running = await rig.addRunning()
    const sessionID = 'ses_fake'
    const follower = followRuntime(rig.parts, running, { onIdle: () => undefined, onLost: () => undefined })
    await queue(running, 'try')
    await pump(running)
    running.fake.say({ type: 'session.status', properties: { sessionID, status: { type: 'retry', attempt: 1 } } })
    for (const { name, status } of after) {
      if (name) running.fake.say({ type: 'session.error', properties: { sessionID, error: { name } } })
      if (status) running.fake.say({ type: 'session.status', properties: { sessionID, status: { type: status } } })
    }
    running.fake.say({ type: 'session.status', properties: { sessionID, status: { type: 'idle' } } })
    running.fake.finish()
    await expect.poll(() => findLastEnded(rig.kernel.database.db, running.row.sessionId)).toMatchObject({ endReason })
    await follower.stop()
  })

  test('a prompt whose acknowledgement was lost is not sent again', async () => {
    const running = await rig.addRunning()
    await queue(running, 'heard')
    running.fake.afterTaking = () => {
      throw new Error('the connection was lost')
    }
    await pump(running)
    await pump(running)
    expect(texts(running)).toEqual(['heard'])
    expect(await listWaiting(rig.kernel.database.db, running.row.sessionId)).toEqual([])
    expect(await findOpenTurn(rig.kernel.database.db, running.row.sessionId)).toMatchObject({ state: 'active' })
  })

  test('a prompt that was lost on the way is sent again, once, with the same id', async () => {
    const running = await rig.addRunning()
    const row = await queue(running, 'lost first')
    running.fake.beforeTaking = () => {
      throw new Error('the connection was lost')
    }
    await pump(running)
    expect(await listWaiting(rig.kernel.database.db, running.row.sessionId)).toMatchObject([
      { state: 'queued', attempts: 1 },
    ])
    running.fake.beforeTaking = () => undefined
    await changePrompt(rig.kernel.database.db, row?.promptId ?? '', { availableAt: new Date(0) })
    await pump(running)
    expect(running.fake.taken.map(({ messageId }) => messageId)).toEqual([row?.messageId])
  })

  test('after a crash between sending and knowing, the runtime decides: what it has is interrupted, never resent', async () => {
    const running = await rig.addRunning()
    await queue(running, 'cut off')
    const crash = new Error('kill -9')
    running.fake.afterTaking = () => {
      running.fake.messages = () => Promise.reject(crash)
      throw crash
    }
    await pump(running)
    expect(await listWaiting(rig.kernel.database.db, running.row.sessionId)).toMatchObject([{ state: 'delivering' }])
    // The next process, with a runtime that was started anew and remembers what it stored.
    running.fake.messages = async () => running.fake.stored
    running.fake.afterTaking = () => undefined
    running.fake.busy = false
    await pump(running)
    expect(texts(running)).toEqual(['cut off'])
    expect(await findLastEnded(rig.kernel.database.db, running.row.sessionId)).toMatchObject({
      endReason: 'interrupted',
    })
  })

  test('after the same crash, what the runtime never heard of is delivered', async () => {
    const running = await rig.addRunning()
    await queue(running, 'never arrived')
    running.fake.beforeTaking = () => {
      running.fake.messages = () => Promise.reject(new Error('kill -9'))
      throw new Error('kill -9')
    }
    await pump(running)
    running.fake.messages = async () => running.fake.stored
    running.fake.beforeTaking = () => undefined
    await pump(running)
    expect(texts(running)).toEqual(['never arrived'])
  })

  test('when the machine was lost in between, a person decides whether it runs again', async () => {
    const running = await rig.addRunning()
    await queue(running, 'nobody knows')
    running.fake.afterTaking = () => {
      running.fake.messages = () => Promise.reject(new Error('kill -9'))
      throw new Error('kill -9')
    }
    await pump(running)
    running.fake.stored = []
    running.fake.messages = async () => []
    await pumpPrompts(rig.parts, { ...running, conversationId: 'ses_other' })
    expect(texts(running)).toEqual(['nobody knows'])
    expect(await listWaiting(rig.kernel.database.db, running.row.sessionId)).toMatchObject([{ state: 'failed' }])
  })

  test('an id from the past or the future is replaced before the runtime sees it', async () => {
    const running = await rig.addRunning()
    for (const ms of [Date.now() + 86_400_000]) {
      await rig.kernel.database.transact(systemActor, (tx) =>
        queuePrompt(tx, running.row, {
          clientMessageId: newId(),
          messageId: `msg_${((BigInt(ms) * 4096n) & 0xffffffffffffn).toString(16).padStart(12, '0')}aaaaaaaaaaaaaa`,
          parts: [{ type: 'text', text: 'odd clock' }],
        }),
      )
    }
    await pump(running)
    expect(running.fake.taken[0]?.messageId.slice(16)).not.toBe('aaaaaaaaaaaaaa')
  })
})
