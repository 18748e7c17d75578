import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npmCommand } from '../setup/npm-command.mjs'
import { isAtLeast, oldestNode } from '../setup/repository.mjs'
import { broken, ok } from './finding.mjs'
import { firstLine, tryCommand } from './try-command.mjs'

/** The oldest git whose `merge-tree --write-tree` previews a merge. */
const oldestGit = '2.38.0'

/** @type {import('./finding.mjs').Examination[]} */
export const tools = [
  { part: 'node', look: lookAtNode },
  { part: 'npm', look: lookAtNpm },
  { part: 'git', look: lookAtGit },
]

function lookAtNode() {
  if (isAtLeast(process.version, oldestNode)) return ok(`Node ${process.version}`)
  return broken(
    `Node ${process.version} is older than ${oldestNode}`,
    'install Node 20 or newer from https://nodejs.org',
  )
}

async function lookAtNpm() {
  const [command, args] = npmCommand()
  const { works, output } = await tryCommand(command, [...args, '--version', '--loglevel=silent'])
  if (works) return ok(`npm ${firstLine(output)}`)
  return broken(`npm does not run: ${firstLine(output)}`, 'reinstall Node, npm comes with it')
}

async function lookAtGit() {
  const { works, missing, output } = await tryCommand('git', ['--version'])
  if (missing)
    return broken('git is not on the PATH', `install git ${oldestGit} or newer (Debian: apt-get install git)`)
  if (!works) {
    const fix = output.includes('config') ? 'correct that configuration file' : 'reinstall git'
    return broken(`git does not run: ${firstLine(output)}`, fix)
  }
  const version = /\d+\.\d+(\.\d+)?/.exec(output)?.[0] ?? '0'
  if (!isAtLeast(version, oldestGit)) {
    return broken(`git ${version} is older than ${oldestGit}`, `install git ${oldestGit} or newer`)
  }
  const problem = await tryRepository()
  return problem
    ? broken(`git ${version} cannot make a repository: ${problem}`, 'see what git says, and try git init by hand')
    : ok(`git ${version}`)
}

async function tryRepository() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
  try {
    const { works, output } = await tryCommand('git', ['init', '--quiet', '--bare', folder], { cwd: folder })
    return works ? undefined : firstLine(output)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
