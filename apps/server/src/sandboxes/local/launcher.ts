import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { shellDescriptors } from './early-shell.ts'
import type { LaunchStep } from './launch-step.ts'
import { perlCommand, writeFrame } from './perl-launcher.ts'
import { shellCommand, shellOpening, writeLines } from './shell-launcher.ts'

/**
 * A process of the host with a mount namespace of its own, which is told step by step how to become a machine. It has
 * nothing of any machine before it is told, and ends by itself when the platform that would tell it is gone.
 */
export interface Launcher {
  readonly child: ChildProcess
  /** Resolves when it, or what it became, has ended. */
  readonly ended: Promise<void>
  /** Done in order, when all of it has arrived; what fails ends it. */
  say(steps: readonly LaunchStep[]): void
  /** Ends one that has not become a machine. */
  dismiss(): void
}

/** What runs it: Perl does the steps itself, a shell starts a program for nearly each. */
export type LauncherKind = 'perl' | 'shell'

/** Descriptors of bubblewrap's beyond the usual three; those of the first shell follow. */
export const descriptors = { status: 3, seccomp: 4, boot: 5 } as const

/**
 * Every step replaces the one before, so the child's pid is bubblewrap's own. It inherits no secret from the
 * environment, and is in a session of its own so that Ctrl-C reaches the server alone.
 */
export function openLauncher(kind: LauncherKind, seccompFile: string, canMount: boolean): Launcher {
  const filter = openSync(seccompFile, 'r')
  const nothing = openSync('/dev/null', 'r')
  try {
    const [command = '', ...args] = kind === 'perl' ? perlCommand(canMount) : shellCommand(canMount)
    const child = spawn(command, args, {
      cwd: '/',
      detached: true,
      stdio: describeStdio(filter, nothing),
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    })
    // It ended before it listened: its end says why.
    child.stdin?.on('error', () => undefined)
    if (kind === 'shell') child.stdin?.write(shellOpening)
    const write = kind === 'perl' ? writeFrame : writeLines
    return {
      child,
      ended: waitForEnd(child),
      say: (steps) => void child.stdin?.write(write(steps)),
      dismiss: () => void child.stdin?.end(),
    }
  } finally {
    // The child has its own copies.
    closeSync(filter)
    closeSync(nothing)
  }
}

/** A program that could not even be started has ended. */
function waitForEnd(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => child.pid === undefined && resolve())
  })
}

/**
 * Node closes what it opened itself, but hands down what it inherited from whoever started the platform. A guest must
 * get none of that, so something empty takes its place.
 */
function describeStdio(seccompFd: number, nullFd: number): StdioOptions {
  const own: (number | 'ignore' | 'pipe')[] = [
    'pipe',
    'pipe',
    'pipe',
    'pipe',
    seccompFd,
    'pipe',
    'pipe',
    'pipe',
    'pipe',
  ]
  for (const fd of listInherited()) {
    while (own.length < fd) own.push('ignore')
    own[fd] ??= nullFd
  }
  return own
}

function listInherited(): number[] {
  const fds = readdirSync('/proc/self/fd').map(Number)
  return fds.filter((fd) => fd > shellDescriptors.stderr && isInherited(fd)).sort((a, b) => a - b)
}

const closeOnExec = 0o2000000

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // Closed since it was listed.
    return false
  }
}
