import { posix } from 'node:path'
import type { HostShell } from './host-shell.ts'
import { quoteShell } from './quote-shell.ts'
import type { RunningMachine } from './running-machine.ts'
import type { WorkspaceStart } from './spec-file.ts'

/** The two folders of a disk. The last one is made last: with it the disk is complete. */
export const diskFolders = { workspace: 'workspace', home: 'home' } as const
/** What a blank disk has of them. */
export const blankFolders = ['workspace', 'home.new'] as const

/**
 * Shell lines that make the guest's folders on an empty disk, the workspace as a copy of its checkout on the session's
 * branch. Cut off at any point, they begin anew. They run before any guest does, so no path leads anywhere else.
 */
export function fillDiskLines(disk: string, owner: number | undefined, start: WorkspaceStart | undefined): string[] {
  const draft = quoteShell(posix.join(disk, 'workspace.new'))
  const workspace = quoteShell(posix.join(disk, diskFolders.workspace))
  const home = quoteShell(posix.join(disk, diskFolders.home))
  const own = (how: string, ...paths: string[]) =>
    owner === undefined ? [] : [`chown ${how} ${owner}:${owner} ${paths.join(' ')}`]
  // A blank disk has the folders already: every program that need not run makes the start shorter.
  const make = (folder: string) => `[ -d ${folder} ] || mkdir -m 0700 ${folder}`
  const copied = start
    ? [
        `rm -rf ${draft} ${workspace}`,
        ...copyLines(draft, start),
        ...own('-hR', draft),
        `chmod 0700 ${draft}`,
        `mv ${draft} ${workspace}`,
      ]
    : [make(workspace)]
  return [
    `if [ ! -d ${home} ]; then`,
    ...copied,
    make(`${home}.new`),
    ...own('-h', workspace, `${home}.new`),
    `mv ${home}.new ${home}`,
    'fi',
  ]
}

/** The same for a machine that waits already: its workspace is there and empty, and nothing of a guest runs in it. */
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

/** A checkout that was removed meanwhile leaves the workspace empty, and the daemon fetches it. */
function copyLines(draft: string, { checkout, branch, commit }: WorkspaceStart): string[] {
  const ref = quoteShell(`refs/heads/${branch}`)
  return [
    `if [ -d ${quoteShell(checkout)}/.git ]; then`,
    `cp -a --reflink=auto ${quoteShell(checkout)} ${draft}`,
    `mkdir -p ${draft}/.git/$(dirname ${ref})`,
    `echo ${quoteShell(commit)} > ${draft}/.git/${ref}`,
    `echo ref: ${ref} > ${draft}/.git/HEAD`,
    `else mkdir ${draft}; fi`,
  ]
}
