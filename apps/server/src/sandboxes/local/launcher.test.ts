import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLauncher } from './launcher.ts'
import { quoteShell } from './quote-shell.ts'

describe('the shell that becomes a machine', () => {
  let folder: string
  let filter: string
  const at = (name: string) => join(folder, name)
  const make = (name: string) => `: > ${quoteShell(at(name))}`

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-launcher-'))
    filter = at('filter')
    await writeFile(filter, '')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('it does what it is told in order, and ends when nobody tells it more', async () => {
    const launcher = openLauncher(filter, false)
    launcher.say(['set -e', make('first')])
    launcher.say([`[ -e ${quoteShell(at('first'))} ]`, make('second')])
    launcher.dismiss()
    await launcher.ended
    expect(existsSync(at('second'))).toBe(true)
  })

  test('what fails is the last thing it does', async () => {
    const launcher = openLauncher(filter, false)
    launcher.say(['set -e', 'false', make('after')])
    await launcher.ended
    expect(launcher.child.exitCode).toBe(1)
    expect(existsSync(at('after'))).toBe(false)
  })

  test('of a step that was not said to its end nothing is done', async () => {
    const launcher = openLauncher(filter, false)
    launcher.say(['{', make('half')])
    launcher.dismiss()
    await launcher.ended
    expect(existsSync(at('half'))).toBe(false)
  })
})
