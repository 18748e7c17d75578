import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type SessionWorld, startSessionWorld } from './session-world.ts'

/** The example that newcomers run does what it says, against a real server. */

let world: SessionWorld
beforeAll(async () => {
  world = await startSessionWorld()
}, 120_000)
afterAll(() => {
  vi.unstubAllEnvs()
  return world?.stop()
})

test('npm run example:golden-path goes the whole way', { timeout: 240_000 }, async () => {
  vi.stubEnv('SVC_URL', world.url)
  vi.stubEnv('SVC_TOKEN', world.owner.accessToken)
  const said: string[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line))
  const { tour } = await import('../../examples/golden-path.ts')
  await tour().finally(() => spy.mockRestore())
  console.log(said.join('\n'))
  expect(said.join('\n')).toContain('Hello from an agent')
  expect(said.at(-1)).toMatch(/^✓ the golden path took/)
})
