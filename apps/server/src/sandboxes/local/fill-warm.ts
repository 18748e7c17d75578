import { posix } from 'node:path'
import type { HostShell } from './host-shell.ts'
import { quoteShell } from './quote-shell.ts'
import type { RunningMachine } from './running-machine.ts'
import type { WorkspaceStart } from './spec-file.ts'

/**
 * Copies a checkout into a machine that waits already: its workspace is there and empty, and nothing of a guest runs in
 * it.
 */
export async function fillWarm(
  shell: HostShell,
  machine: RunningMachine,
  { checkout, branch, commit }: WorkspaceStart,
): Promise<void> {
  const workspace = quoteShell(`/proc/${await machine.daemonPid()}/root/workspace`)
  const ref = quoteShell(`refs/heads/${branch}`)
  const { hostUid } = machine.spec
  const { code, output } = await shell.run([
    // The folder's own mode comes with it: a checkout is made for its owner alone.
    `cp -a ${quoteShell(checkout)}/. ${workspace}/`,
    ...(branch.includes('/')
      ? [`mkdir -p ${workspace}/.git/${quoteShell(posix.dirname(`refs/heads/${branch}`))}`]
      : []),
    `echo ${quoteShell(commit)} > ${workspace}/.git/${ref}`,
    `echo ref: ${ref} > ${workspace}/.git/HEAD`,
    ...(hostUid === null ? [] : [`chown -hR ${hostUid}:${hostUid} ${workspace}/`]),
  ])
  if (code !== 0) throw new Error(`the workspace could not be filled: ${output}`)
}
