import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/test/longest-first.ts'

/** `npm run test:long` runs everything, in full; `npm test` leaves out the `*.long.test.ts`. */
const isLong = process.env.SVC_TEST_LONG === '1'
const include = ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts']
const exclude = ['**/node_modules/**', '**/dist/**', ...(isLong ? [] : ['**/*.long.test.ts'])]
/** Files that put something else in a module's place: these get modules of their own. */
const replacing = ['**/*.alone.test.ts']

// Tests run on the sources of every workspace, never on a stale dist.
export default defineConfig({
  resolve: { conditions: ['svc-source', 'module', 'node', 'import', 'default'] },
  // Passed on to Node, where `import` would make `require` load the ES module of packages that ship both.
  ssr: { resolve: { conditions: ['svc-source', 'module', 'node'] } },
  test: {
    // The files of a worker share their modules: loading the server anew for each took a quarter of the whole run.
    projects: [
      { extends: true, test: { name: 'shared', include, exclude: [...exclude, ...replacing], isolate: false } },
      { extends: true, test: { name: 'alone', include: replacing, exclude } },
    ],
    globalSetup: ['tests/support/postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // What ends a test that hangs, never what a test waits for: a busy machine takes ten times as long as a free one.
    testTimeout: isLong ? 600_000 : 180_000,
    hookTimeout: isLong ? 600_000 : 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
