import { findCommand } from '../setup/find-command.mjs'
import { describeInstall } from '../setup/install-system-packages.mjs'
import { systemPackages } from '../setup/system-packages.mjs'
import { broken, ok } from './finding.mjs'
import { firstLine, tryCommand } from './try-command.mjs'

const nobody = 65534

/**
 * Programs that agents run on, each proven by running it. None is part of this repository yet; a row is
 * `{ name, command, args, fix }`.
 *
 * @type {{ name: string, command: string, args: string[], fix: string }[]}
 */
const runtimes = []

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

async function lookAtRuntimes() {
  for (const { name, command, args, fix } of runtimes) {
    const { works, output } = await tryCommand(command, args)
    if (!works) return broken(`${name} does not run: ${firstLine(output)}`, fix)
  }
  return ok(runtimes.length === 0 ? 'none needed yet' : runtimes.map(({ name }) => name).join(', '))
}
