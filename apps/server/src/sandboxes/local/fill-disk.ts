import { posix } from 'node:path'
import { quoteShell } from './quote-shell.ts'
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
