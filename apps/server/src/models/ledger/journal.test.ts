import { appendFileSync, readdirSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeEntry } from '../testing/make-entry.ts'
import type { BegunCall } from './call-entry.ts'
import { openJournal, readJournal } from './journal.ts'

const makeCall = (details: Record<string, unknown> = {}): BegunCall => ({ entry: makeEntry({ details }), charges: [] })

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
