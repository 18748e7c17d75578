import { existsSync } from 'node:fs'
import { cp, lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { guestUid } from './bwrap-arguments.ts'
import type { Layout } from './layout.ts'
import { removeSpares } from './make-disk.ts'
import { buildFilter, isFilterArch } from './seccomp/filter.ts'

export const seccompFile = (kit: string) => join(kit, 'seccomp.bpf')

/** Files of the host's /etc that hold nothing about it that a guest should not know. */
const namedEtcFiles = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'mime.types',
  'os-release',
  'pki',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
]

/** Nothing here differs between machines, and nothing is a secret. */
const etcFiles: Readonly<Record<string, string>> = {
  passwd: `root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nagent:x:${guestUid}:${guestUid}:agent:/home/agent:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
  group: `root:x:0:\nagent:x:${guestUid}:\nnogroup:x:65534:\n`,
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  // Names are resolved by the egress proxy; there is nobody to ask in here.
  'resolv.conf': '',
  'nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\n',
  gitconfig: '[safe]\n\tdirectory = /workspace\n',
}

/** Written at every start of the platform, so that a new version brings its own. */
export async function prepareKit(layout: Layout): Promise<void> {
  const { root, kit, blanks, checkouts, machines } = layout
  // Machines run as users of their own, who must pass through here; passing through is not reading.
  for (const folder of [root, machines]) await mkdir(folder, { recursive: true, mode: 0o711 })
  for (const folder of [blanks, checkouts]) await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeSpares(layout)
  await prepareEtc(join(kit, 'etc'))
  if (isFilterArch(process.arch)) await writeFile(seccompFile(kit), buildFilter(process.arch), { mode: 0o644 })
}

/**
 * One folder that is bound as a whole: twenty files bound one by one take longer than everything else that a machine
 * sees. No machine runs while it is made.
 */
async function prepareEtc(etc: string): Promise<void> {
  await rm(etc, { recursive: true, force: true })
  await mkdir(etc, { recursive: true, mode: 0o755 })
  for (const name of namedEtcFiles) {
    const options = { recursive: true, verbatimSymlinks: true, filter: isReadableByAll }
    // What this host does not have, its machines do not have either.
    if (existsSync(join('/etc', name))) await cp(join('/etc', name), join(etc, name), options)
  }
  for (const [name, text] of Object.entries(etcFiles)) await writeFile(join(etc, name), text, { mode: 0o644 })
}

/** The copy is made by somebody who may read more than a machine's user. */
async function isReadableByAll(path: string): Promise<boolean> {
  const { mode } = await lstat(path)
  return (mode & 0o004) !== 0
}
