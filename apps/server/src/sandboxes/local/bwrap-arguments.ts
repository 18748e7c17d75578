import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineFile } from './machine-files.ts'

/** The user that every machine sees itself as; outside it is another one. */
export const guestUid = 1000

export interface BwrapInput {
  /** Paths as bubblewrap sees them. */
  readonly workspace: string
  readonly home: string
  /** Of the host: sockets and certificates that it makes. The guest only reads here. */
  readonly run: string
  readonly kit: string
  readonly files: readonly MachineFile[]
  readonly hostname: string
  /** Files in memory may take a part of it, so that they alone cannot end the machine. */
  readonly memoryBytes: number
  readonly seccompFd: number | undefined
  readonly statusFd: number
  /** Where the boot configuration comes from: now, to be copied into the machine's memory, or when it has an owner. */
  readonly bootFd: number
  readonly hasOwner: boolean
  readonly command: readonly string[]
}

/** Where the machine sees the folder that the host makes for it; one that does is a process of this machine. */
export const hostRunFolder = '/run/svc-host'
const runFiles = ['egress.sock', 'ca.pem']
const runBytes = 4 * 1024 ** 2

/** What the kernel tells about the whole host. */
const hiddenProcFiles = [
  'cmdline',
  'config.gz',
  'kcore',
  'keys',
  'key-users',
  'kallsyms',
  'kmsg',
  'modules',
  'sched_debug',
  'sysrq-trigger',
  'timer_list',
  'vmallocinfo',
]
const hiddenProcFolders = ['acpi', 'asound', 'bus', 'driver', 'fs', 'irq', 'scsi']

/** One machine's whole view of the world. Everything that is not named here does not exist in it. */
export function bwrapArguments(input: BwrapInput): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try'],
    ...['--disable-userns', '--uid', String(guestUid), '--gid', String(guestUid), '--cap-drop', 'ALL'],
    ...['--hostname', input.hostname, '--die-with-parent', '--clearenv'],
    ...system(),
    ...['--proc', '/proc', ...hiddenProc(), '--dev', '/dev'],
    ...[
      '--size',
      String(Math.floor(input.memoryBytes / 8)),
      '--perms',
      '1777',
      '--tmpfs',
      '/dev/shm',
      '--remount-ro',
      '/dev',
    ],
    ...['--size', String(Math.floor(input.memoryBytes / 4)), '--perms', '1777', '--tmpfs', '/tmp'],
    ...['--symlink', '/tmp', '/var/tmp', '--symlink', '/run', '/var/run', '--dir', '/run'],
    ...['--ro-bind', join(input.kit, 'etc'), '/etc'],
    ...input.files.flatMap(({ hostPath, machinePath }) => ['--ro-bind', hostPath, machinePath]),
    ...['--bind', input.workspace, '/workspace', '--bind', input.home, '/home/agent'],
    ...runFolder(input),
    ...['--remount-ro', '/', '--chdir', '/workspace'],
    ...(input.hasOwner ? [] : ['--setenv', 'SVC_OWNER_FD', String(input.bootFd)]),
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(input.seccompFd === undefined ? [] : ['--seccomp', String(input.seccompFd)]),
    ...['--json-status-fd', String(input.statusFd), '--', ...input.command],
  ]
}

const environment = {
  PATH: '/opt/svc/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/home/agent',
  USER: 'agent',
  LOGNAME: 'agent',
  SHELL: existsSync('/usr/bin/bash') ? '/bin/bash' : '/bin/sh',
  LANG: 'C.UTF-8',
  SVC_RUN_DIR: '/run/svc',
}

/**
 * The guest's own part is in memory and small: what it writes there counts as its memory, and no file of the host's
 * is in its reach to replace.
 */
function runFolder({ run, bootFd, hasOwner }: BwrapInput): string[] {
  return [
    ...['--ro-bind', run, hostRunFolder, '--size', String(runBytes), '--perms', '0700', '--tmpfs', '/run/svc'],
    ...runFiles.flatMap((name) => ['--symlink', `${hostRunFolder}/${name}`, `/run/svc/${name}`]),
    ...(hasOwner ? ['--perms', '0600', '--file', String(bootFd), '/run/svc/boot.json'] : []),
  ]
}

/** The host's programs. On a merged /usr the folders at the top are links, and stay links. */
function system(): string[] {
  const top = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].filter((name) => existsSync(`/${name}`))
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...top.flatMap((name) =>
      lstatSync(`/${name}`).isSymbolicLink()
        ? ['--symlink', readlinkSync(`/${name}`), `/${name}`]
        : ['--ro-bind', `/${name}`, `/${name}`],
    ),
  ]
}

function hiddenProc(): string[] {
  return [
    ...hiddenProcFiles
      .filter((name) => existsSync(`/proc/${name}`))
      .flatMap((name) => ['--ro-bind', '/dev/null', `/proc/${name}`]),
    ...hiddenProcFolders
      .filter((name) => existsSync(`/proc/${name}`))
      .flatMap((name) => ['--perms', '0555', '--tmpfs', `/proc/${name}`, '--remount-ro', `/proc/${name}`]),
  ]
}
