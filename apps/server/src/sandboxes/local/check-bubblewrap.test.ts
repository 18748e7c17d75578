import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { checkBubblewrap } from './check-bubblewrap.ts'
import { openLocalProvider, plainBoot } from './testing/local-machine.ts'

const folder = await mkdtemp(join(tmpdir(), 'svc-check-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.runIf(process.platform === 'linux')('whether there can be machines here', () => {
  test('bubblewrap that makes a sandbox is fine', async () => {
    expect(await checkBubblewrap({})).toEqual({ status: 'ok' })
  })

  test('without bubblewrap the fix is named, and a start is refused with it', async () => {
    expect(await checkBubblewrap({ program: join(folder, 'nothing') })).toMatchObject({
      status: 'missing',
      detail: 'bubblewrap is not installed: sessions cannot start.',
      next: expect.stringContaining('apt-get install bubblewrap'),
    })
    const local = await openLocalProvider({ bwrap: join(folder, 'nothing') })
    expect(await local.provider.check()).toMatchObject({ status: 'missing' })
    const { externalId } = await local.createMachine()
    const start = local.provider.start(externalId, plainBoot, () => undefined)
    await expect(start).rejects.toThrow(/bubblewrap is not installed.*apt-get install/)
    await local.close()
  })

  test('one that cannot make a sandbox, and one that is too old, are told apart', async () => {
    const failing = join(folder, 'failing')
    await writeFile(failing, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n', {
      mode: 0o755,
    })
    expect(await checkBubblewrap({ program: failing })).toMatchObject({
      status: 'missing',
      detail: 'bubblewrap cannot make a sandbox: bwrap: No permissions to create new namespace',
      next: expect.stringContaining('user namespaces'),
    })
    const old = join(folder, 'old')
    await writeFile(old, '#!/bin/sh\necho "bwrap: Unknown option --disable-userns" >&2\nexit 1\n', { mode: 0o755 })
    expect(await checkBubblewrap({ program: old })).toMatchObject({ next: 'Install bubblewrap 0.8 or newer.' })
  })
})
