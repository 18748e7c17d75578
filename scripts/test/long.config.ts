import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

// The same tests plus the `*.long.test.ts` that `npm test` leaves out.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    exclude: base.test?.exclude?.filter((pattern) => !pattern.includes('.long.')) ?? [],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
