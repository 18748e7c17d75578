import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { npmCommand } from '../setup/npm-command.mjs'
import { withProgress } from '../setup/progress.mjs'
import { inRepository } from '../setup/repository.mjs'
import { runCommand } from '../setup/run-command.mjs'

const declaration = /^export const needsPeers = true\b/m

/** @param {string} source */
export const needsPeers = (source) => declaration.test(readFileSync(source, 'utf8'))

/** The programs we are measured against: packages of their own, installed by their own lock file when first needed. */
export async function installPeers() {
  const folder = inRepository('bench', 'peers')
  const lock = createHash('sha256')
    .update(readFileSync(`${folder}/package-lock.json`))
    .digest('hex')
  const stamp = `${folder}/node_modules/.svc-packages`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  const [command, args] = npmCommand()
  await withProgress('installing the peers of the benchmarks', () =>
    runCommand(command, [...args, 'ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error']),
  )
  writeFileSync(stamp, lock)
}
