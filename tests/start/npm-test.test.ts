import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type House, makeHouse, repository } from '../../scripts/testing/make-house.ts'
import { spawnNpm } from './spawn-npm.ts'

vi.setConfig({ testTimeout: 180_000 })

const passing =
  "import { expect, test } from 'vitest'\ntest('one', () => expect(1).toBe(1))\ntest('two', () => expect(2).toBe(2))\n"
const failing = "import { expect, test } from 'vitest'\ntest('three', () => expect(3).toBe(4))\n"

/** A repository with tests of its own, in which the real checks and the real vitest run. */
describe('the last line of the tests', () => {
  let house: House
  beforeAll(() => {
    house = makeHouse({
      'packages/manifest/package.json': JSON.stringify({ name: '@svc/manifest', type: 'module' }),
      'packages/manifest/tsdown.config.ts':
        "import { defineConfig } from 'tsdown'\n\nexport default defineConfig({ entry: ['src/index.ts'], dts: false })\n",
      'packages/manifest/src/index.ts': 'export const one = 1\n',
      'packages/manifest/src/index.test.ts': passing,
      'packages/manifest/src/slow.long.test.ts': passing.replaceAll("'one'", "process.env.SVC_TEST_SEED ?? 'none'"),
      'vitest.config.ts':
        "export default { test: { include: ['packages/**/*.test.ts'], exclude: process.env.SVC_TEST_LONG ? [] : ['**/*.long.test.ts'] } }\n",
      '.gitignore': 'node_modules/\ndist/\n.cache/\n',
    })
    cpSync(join(repository, '.ci'), join(house.folder, '.ci'), { recursive: true })
  })
  afterAll(() => house.remove())

  async function runNpm(args: string[], env: NodeJS.ProcessEnv = {}) {
    const npm = spawnNpm(args, house.folder, { SVC_NO_SYSTEM_INSTALL: '1', ...env })
    const { code } = await npm.ended()
    return { code, output: npm.output() }
  }

  const lastLine = (output: string) => output.trimEnd().split('\n').at(-1)

  test('counts what passed, and a selection runs nothing else', async () => {
    const { code, output } = await runNpm(['test', '--silent', 'index.test'])
    expect(lastLine(output), output).toBe('2 passed, 0 failed')
    expect(code).toBe(0)
  })

  test('counts a failed test and fails', async () => {
    house.write('packages/manifest/src/bad.test.ts', failing)
    const { code, output } = await runNpm(['test', '--silent', 'bad.test', 'index.test'])
    expect(lastLine(output), output).toBe('2 passed, 1 failed')
    expect(code).toBe(1)
  })

  test('counts a file that does not load', async () => {
    house.write('packages/manifest/src/bad.test.ts', "import './not-there.ts'\n")
    const { code, output } = await runNpm(['test', '--silent', 'bad.test', 'index.test'])
    expect(lastLine(output), output).toBe('2 passed, 1 failed')
    expect(code).toBe(1)
  })

  test('counts an error outside every test', async () => {
    house.write('packages/manifest/src/bad.test.ts', `${passing}setTimeout(() => { throw new Error('late') })\n`)
    const { code, output } = await runNpm(['test', '--silent', 'bad.test'])
    expect(lastLine(output), output).toBe('2 passed, 1 failed')
    expect(code).toBe(1)
  })

  test('does not pass when nothing ran', async () => {
    const { code, output } = await runNpm(['test', '--silent', 'no-such-file'])
    expect(lastLine(output), output).toBe('0 passed, 1 failed')
    expect(code).toBe(1)
  })

  test('a build that fails is one failure, told in its own words', async () => {
    house.write('packages/manifest/src/index.ts', "export * from './gone.ts'\n")
    const { code, output } = await runNpm(['test', '--silent', 'index.test'])
    expect(output).toContain('packages/manifest does not build')
    expect(lastLine(output), output).toBe('0 passed, 1 failed')
    expect(code).toBe(1)
    house.write('packages/manifest/src/index.ts', 'export const one = 1\n')
  })

  test('long tests run in the long command only, which prints its seed', async () => {
    const { code, output } = await runNpm(['run', 'test:long', '--silent', '--', 'slow.long'], {
      SVC_TEST_SEED: '4711',
    })
    expect(output).toContain('SVC_TEST_SEED=4711')
    expect(lastLine(output), output).toBe('2 passed, 0 failed')
    expect(code).toBe(0)
  })
})
