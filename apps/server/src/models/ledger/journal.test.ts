import { appendFileSync, readdirSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '../../kernel/ids/index.ts'
import type { BegunCall } from './call-entry.ts'
import { openJournal, readJournal } from './journal.ts'

function makeCall(details: Record<string, unknown> = {}): BegunCall {
  const entry = {
    call_id: newId(),
    account_id: newId(),
    project_id: newId(),
    session_id: null,
    agent_name: null,
    user_id: null,
    key_id: null,
    request_id: 'req_1',
    endpoint: 'chat',
    requested_model: 'm',
    resolved_model: 'm',
    provider: 'svc',
    status: 200,
    ok: true,
    error_code: null,
    error_message: null,
    latency_ms: 1,
    first_token_ms: null,
    attempts: 1,
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: 0,
    cache_write_tokens: 0,
    svc_micros: 1,
    provider_micros: 0,
    price_version: null,
    streaming: false,
    billing_mode: 'credits',
    details,
    created_at: new Date(0).toISOString(),
  } as const
  return { entry, charges: [] }
}

const newFolder = () => mkdtemp(join(tmpdir(), 'svc-journal-'))

test('a call that has begun is on disk before it goes on, and calls of one turn are one write', async () => {
  const folder = await newFolder()
  const journal = openJournal(folder)
  const calls = Array.from({ length: 50 }, () => makeCall())
  await Promise.all(calls.map((call) => journal.begin(call)))
  const { calls: found, unsettled } = readJournal(folder)
  expect(found).toEqual(calls)
  expect(unsettled.size).toBe(50)
  journal.close()
})

test('what the database holds leaves the disk, however many calls there were', async () => {
  const folder = await newFolder()
  const journal = openJournal(folder)
  const filler = { text: 'x'.repeat(1024 * 1024) }
  for (let at = 0; at < 40; at++) {
    const call = makeCall(filler)
    await journal.begin(call)
    journal.settle(call)
    await new Promise((resolve) => setImmediate(resolve))
    journal.forget([call.entry.call_id])
  }
  expect(readdirSync(folder)).toHaveLength(1)
  journal.close()
  expect(readdirSync(folder)).toEqual([])
})

test('a line that was cut off by a crash is no call, and those before it are', async () => {
  const folder = await newFolder()
  const journal = openJournal(folder)
  const call = makeCall()
  await journal.begin(call)
  const [name = ''] = readdirSync(folder)
  appendFileSync(join(folder, name), 'B{"entry":{"call_id":"')
  expect(readJournal(folder).calls).toEqual([call])
  journal.close()
})
