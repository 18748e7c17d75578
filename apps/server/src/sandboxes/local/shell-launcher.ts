import { fillDiskLines } from './fill-disk.ts'
import type { LaunchStep } from './launch-step.ts'
import { quoteShell } from './quote-shell.ts'

/** A launcher where there is no Perl: a shell that starts a program for nearly every step. */
export const shellCommand = (canMount: boolean): string[] => (canMount ? ['unshare', '-m', 'sh'] : ['sh'])

/** What fails ends it, and no memory of a guest is ever written to the host's disk. */
export const shellOpening = 'set -e\nulimit -c 0\n'

/** A shell reads what is in braces as a whole before any of it runs. */
export const writeLines = (steps: readonly LaunchStep[]): string => ['{', ...steps.flatMap(linesOf), '}\n'].join('\n')

function linesOf(step: LaunchStep): readonly string[] {
  switch (step.do) {
    case 'view':
      return viewLines(step)
    case 'bind':
      return [line('mount', '--bind', step.from, step.at)]
    case 'mountDisk':
      return [line('mount', '-t', 'ext4', '-o', 'loop,nosuid,nodev,noatime,discard', step.image, step.at)]
    case 'fillDisk':
      return fillDiskLines(step.disk, step.owner, undefined)
    case 'run':
      return step.lines
    case 'join':
      // Written by the shell itself: 0 stands for whoever writes.
      return [`echo 0 > ${quoteShell(step.file)}`]
    case 'become':
      return [`exec ${line(...switchUser(step.uid), ...step.command)} </dev/null`]
  }
}

function viewLines({ at, folders, files }: Extract<LaunchStep, { do: 'view' }>): string[] {
  return [
    line('mount', '-t', 'tmpfs', '-o', 'mode=0755,size=64k,nosuid,nodev', 'svc', at),
    ...(folders.length > 0 ? [line('mkdir', '-p', ...folders)] : []),
    ...(files.length > 0 ? [line('touch', ...files)] : []),
  ]
}

function switchUser(uid: number | undefined): string[] {
  if (uid === undefined) return []
  return ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', '--']
}

const line = (...words: readonly string[]) => words.map(quoteShell).join(' ')
