import { existsSync } from 'node:fs'
import { findCommand } from '../setup/find-command.mjs'
import { describeInstall } from '../setup/install-system-packages.mjs'
import { readJson } from '../setup/read-json.mjs'
import { inRepository } from '../setup/repository.mjs'
import { systemPackages } from '../setup/system-packages.mjs'
import { broken, ok } from './finding.mjs'
import { firstLine, tryCommand } from './try-command.mjs'

const nobody = 65534

/** @type {import('./finding.mjs').Examination[]} */
export const sandbox = [
  { part: 'sandbox', look: lookAtBubblewrap },
  { part: 'agent runtimes', look: lookAtRuntimes },
]

/** A version string is no evidence: a sandbox like those of sessions is really made, by somebody who is not root. */
async function lookAtBubblewrap() {
  if (process.platform !== 'linux') return ok('not used on this system')
  const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net']
  const args = [...namespaces, '--die-with-parent', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true']
  const asNobody = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  const bwrap = findCommand('bwrap')
  const bubblewrap = systemPackages.filter((one) => one.command === 'bwrap')
  if (!bwrap)
    return broken('bubblewrap is not installed: there are no sandboxes without it', describeInstall(bubblewrap))
  const { works, output } = await tryCommand(bwrap, args, { cwd: '/', ...asNobody })
  if (works) return ok('bubblewrap makes a sandbox')
  return broken(
    `bubblewrap cannot make a sandbox: ${firstLine(output)}`,
    'allow user namespaces (sysctl user.max_user_namespaces=15000; in a container: --security-opt seccomp=unconfined)',
  )
}

/** Agents run in Linux machines, so the program is the one for Linux whatever the host is. */
async function lookAtRuntimes() {
  const name = `opencode-linux-${process.arch}`
  const program = inRepository('node_modules', name, 'bin', 'opencode')
  const fix = process.platform === 'linux' ? 'npm ci' : `npm install --no-save --os=linux --cpu=${process.arch} ${name}`
  if (!existsSync(program)) return broken(`opencode (${name}) is not installed: no agent runs without it`, fix)
  const pi = existsSync(inRepository('apps/server/runtimes/pi/node_modules'))
    ? 'pi'
    : 'pi on demand (npm run runtime:pi)'
  if (process.platform !== 'linux') return ok(`opencode for Linux, ${pi}`)
  // The program is its own interpreter: asked for that one's version it shows that it runs here, in milliseconds.
  const { works, output } = await tryCommand(program, ['--version'], { env: { ...process.env, BUN_BE_BUN: '1' } })
  if (!works) return broken(`opencode does not run: ${firstLine(output)}`, 'rm -rf node_modules && npm ci')
  const { version } = /** @type {any} */ (readJson(inRepository('node_modules', name, 'package.json')) ?? {})
  return ok(`opencode ${version}, ${pi}`)
}
