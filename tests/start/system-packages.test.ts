import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type House, makeHouse } from '../../scripts/testing/make-house.ts'

const mayInstall = existsSync('/etc/debian_version') && process.getuid?.() === 0
const commands = ['sh', 'env', 'mkdir', 'chmod', 'touch', 'ln']

/** A machine without bubblewrap, with an apt-get that does what the test says and keeps a record. */
describe.runIf(process.platform === 'linux')('a start without bubblewrap', () => {
  let house: House
  let bin: string
  beforeEach(() => {
    house = makeHouse({
      'apps/server/package.json': JSON.stringify({ name: '@house/server', type: 'module' }),
      'apps/server/tsdown.config.ts': "export default { entry: ['src/main.ts'], platform: 'node', dts: false }\n",
      'apps/server/src/main.ts': "console.log('the server runs')\nprocess.exit(0)\n",
    })
    bin = join(house.folder, 'bin')
    mkdirSync(bin)
    for (const name of commands) {
      const path = ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find(existsSync)
      if (path) symlinkSync(path, join(bin, name))
    }
    // Whatever else a start asks for is there.
    symlinkSync('/bin/true', join(bin, 'ssh'))
  })
  afterEach(() => house.remove())

  function putAptGet(script: string) {
    const record = join(house.folder, 'apt-calls')
    writeFileSync(record, '')
    writeFileSync(join(bin, 'apt-get'), `#!/bin/sh\necho "$@" >> ${record}\n${script}\n`, { mode: 0o755 })
    return () => readFileSync(record, 'utf8').split('\n').filter(Boolean)
  }

  const start = (env: NodeJS.ProcessEnv) => house.run('start.mjs', [], { env: { PATH: bin, ...env } })

  test('SVC_NO_SYSTEM_INSTALL=1 installs nothing, says what is missing and how to get it, and starts', () => {
    const calls = putAptGet('exit 0')
    const { code, stdout } = start({ SVC_NO_SYSTEM_INSTALL: '1' })
    expect(stdout).toMatch(/! missing: bubblewrap \(for sandboxes\)\. To get it: .*bubblewrap.*SVC_NO_SYSTEM_INSTALL=1/)
    expect(stdout).toContain('the server runs')
    expect({ code, calls: calls() }).toEqual({ code: 0, calls: [] })
  })

  test.runIf(mayInstall)('an install that fails does not stop the start and is not tried again at the next one', () => {
    const calls = putAptGet('echo "E: no network" >&2; exit 100')
    for (const attempt of [1, 2]) {
      const { code, stdout } = start({ SVC_NO_SYSTEM_INSTALL: '' })
      expect(stdout, `start ${attempt}`).toMatch(/! missing: bubblewrap .* To get it: apt-get install bubblewrap/)
      expect(stdout).toContain('the server runs')
      expect(code).toBe(0)
    }
    expect(calls().filter((call) => call.startsWith('update'))).toHaveLength(1)
  })

  test.runIf(mayInstall)('an install that works is announced and happens once', () => {
    const calls = putAptGet(`ln -sf /bin/true ${join(bin, 'bwrap')}`)
    expect(start({ SVC_NO_SYSTEM_INSTALL: '' }).stdout).toContain('installing Debian packages (bubblewrap)')
    expect(start({ SVC_NO_SYSTEM_INSTALL: '' }).stdout).toBe('the server runs\n')
    expect(calls()).toHaveLength(1)
  })
})
