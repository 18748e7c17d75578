// `npm test`: set-up, the checks, every test; the last line reads "N passed, N failed". With arguments only the tests
// they select run. `--long` runs the long tests in full.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { runCheck } from './checks/run-check.mjs'
import { sourceChecks } from './checks/source-checks.mjs'
import { finish } from './setup/finish.mjs'
import { prepare } from './setup/prepare.mjs'
import { say } from './setup/progress.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'
import { runVitest } from './test/run-vitest.mjs'

const long = process.argv.includes('--long')
const selection = process.argv.slice(2).filter((argument) => argument !== '--long')

stopOnSignal(130)
await finish(async () => {
  const env = testEnvironment()
  if (long) say(`• long tests with SVC_TEST_SEED=${env.SVC_TEST_SEED}`)
  const counts = { passed: 0, failed: 0 }
  const checkSources = async () => {
    const checks = selection.length > 0 ? [] : sourceChecks
    for (const check of checks) count(counts, await runCheck(check))
  }
  if (await runCheck({ name: 'set-up', run: () => prepare('test', checkSources) })) {
    const tests = await runVitest(selection, env)
    counts.passed += tests.passed
    counts.failed += tests.failed
  } else {
    counts.failed += 1
  }
  return report(counts)
})

/** @returns {NodeJS.ProcessEnv} */
function testEnvironment() {
  const seed = process.env.SVC_TEST_SEED ?? String(randomInt(1, 2 ** 31))
  if (!long) return { ...process.env, SVC_TEST_SCALE: process.env.SVC_TEST_SCALE ?? '0.1' }
  return { ...process.env, SVC_TEST_LONG: '1', SVC_TEST_SCALE: process.env.SVC_TEST_SCALE ?? '1', SVC_TEST_SEED: seed }
}

/**
 * @param {{ passed: number, failed: number }} counts
 * @param {boolean} ok
 */
function count(counts, ok) {
  if (ok) counts.passed += 1
  else counts.failed += 1
}

/** @param {{ passed: number, failed: number }} counts */
function report({ passed, failed }) {
  const line = `${passed} passed, ${failed} failed`
  if (process.env.SVC_TEST_SUMMARY) writeFileSync(process.env.SVC_TEST_SUMMARY, `${line}\n`)
  say(`\n${line}`)
  return failed === 0 && passed > 0 ? 0 : 1
}
