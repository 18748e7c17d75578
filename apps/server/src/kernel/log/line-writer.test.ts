import { beforeAll, expect, test } from 'vitest'
import { bundleScript, startScript } from '../jobs/testing/run-script.ts'

let script: string
beforeAll(async () => {
  script = await bundleScript(new URL('./testing/log-and-end.ts', import.meta.url))
})

test.each([
  ['exit', { code: 0, signal: null }],
  ['throw', { code: 1, signal: null }],
  ['signal', { code: null, signal: 'SIGTERM' }],
  ['graceful', { code: 7, signal: null }],
])('no line is lost when the process ends by %s, and it still ends that way', async (end, how) => {
  const run = startScript(script, { END: end })
  expect(await run.exited).toEqual(how)
  const lines = run.output().split('\n')
  const messages = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line).msg)
  expect(messages).toEqual(Array.from({ length: 500 }, (_, line) => `line ${line}`))
})

test('errors that nobody reads do not hold the process up', async () => {
  const nobody = await bundleScript(new URL('./testing/log-to-nobody.ts', import.meta.url))
  const run = startScript(nobody)
  run.child.stdout?.pause()
  expect(await run.nextMessage()).toBe('went on')
  run.kill('SIGKILL')
  await run.exited
})
