import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StartError } from '../start-error.ts'
import { openDataDirectory } from './open-data-directory.ts'

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-data-'))
})
afterEach(() => rm(parent, { recursive: true, force: true }))

describe('opening a data directory', () => {
  test('creates it for its owner alone', async () => {
    const directory = await openDataDirectory(join(parent, 'a', 'b'))
    expect((await stat(directory.path)).mode & 0o777).toBe(0o700)
    expect(directory.lockMs).toBeGreaterThan(0)
    await directory.release()
  })

  test('a second opener is refused with the pid of the first until the first lets go', async () => {
    const first = await openDataDirectory(parent)
    const refusal = await openDataDirectory(parent).catch((error: unknown) => error)
    expect(StartError.isInstance(refusal) && refusal.message).toContain(`process ${process.pid}`)
    await first.release()
    await (await openDataDirectory(parent)).release()
  })

  test('a path that is a file is refused with a sentence and a next step, and the file stays', async () => {
    const path = join(parent, 'file')
    await writeFile(path, 'mine')
    await expect(openDataDirectory(path)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining(path),
      fix: expect.stringContaining('another data directory'),
    })
    expect(await readdir(parent)).toEqual(['file'])
  })
})
