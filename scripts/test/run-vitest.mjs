import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readJson } from '../setup/read-json.mjs'
import { inRepository, root } from '../setup/repository.mjs'
import { runToEnd } from '../setup/run-command.mjs'

/**
 * Runs the tests with vitest's own progress on the screen and counts them from its report.
 *
 * @param {string[]} selection passed on to vitest
 * @param {NodeJS.ProcessEnv} env
 */
export async function runVitest(selection, env) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const reportPath = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`]
  try {
    const vitest = inRepository('node_modules', 'vitest', 'vitest.mjs')
    const args = [vitest, 'run', ...reporters, ...selection]
    const { code } = await runToEnd(process.execPath, args, { cwd: root, env, inherit: true })
    return countTests(readJson(reportPath), code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A file that does not load has no tests to count, and an error outside a test fails none: both still count as one
 * failure, so that a red run never ends in "0 failed".
 *
 * @param {Record<string, any> | undefined} report
 * @param {number | null} code
 */
export function countTests(report, code) {
  const passed = report?.numPassedTests ?? 0
  const failedTests = report?.numFailedTests ?? 0
  const files = /** @type {any[]} */ (report?.testResults ?? [])
  const broken = files.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((/** @type {any} */ one) => one.status === 'failed'),
  ).length
  const failed = failedTests + broken
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed }
}
