import { defineConfig } from 'vitest/config'

// Tests run on the sources of every workspace, never on a stale dist.
export default defineConfig({
  resolve: { conditions: ['svc-source', 'module', 'node', 'import', 'default'] },
  // Passed on to Node, where `import` would make `require` load the ES module of packages that ship both.
  ssr: { resolve: { conditions: ['svc-source', 'module', 'node'] } },
  test: {
    include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.long.test.ts'],
    globalSetup: ['tests/support/postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
