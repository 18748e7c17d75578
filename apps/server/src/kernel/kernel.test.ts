import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { signal } from './database/embedded/leftovers.ts'
import { startKernel } from './kernel.ts'
import { createLogger, createMemoryWriter } from './log/index.ts'

test('the death and the return of the embedded PostgreSQL are in the log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-kernel-'))
  const stops: (() => void | Promise<void>)[] = []
  const writer = createMemoryWriter()
  const find = (text: string) => writer.lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.includes(text))
  try {
    const { database } = await startKernel({
      config: readConfig({ SVC_DATA_DIR: join(folder, 'data') }),
      log: createLogger({ writer }),
      onStop: (stop) => void stops.unshift(stop),
    })
    const pid = database.postgresPid()
    if (pid === undefined) throw new Error('the database has no process')
    signal(pid, 'SIGKILL')
    while (!find('is back')) await sleep(20)
    expect(find('ended unexpectedly')).toMatchObject({ level: 'warn', next: expect.stringContaining('doctor') })
    expect(find('is back')).toMatchObject({ level: 'info' })
  } finally {
    for (const stop of stops) await stop()
    await rm(folder, { recursive: true, force: true })
  }
})
