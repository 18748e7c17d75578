import { openCgroups } from './cgroups/index.ts'
import { chooseDisk } from './choose-disk.ts'
import { chooseLauncher } from './choose-launcher.ts'
import { prepareKit, seccompFile } from './kit.ts'
import { createLaunchers, type Launchers } from './launchers.ts'
import type { Layout } from './layout.ts'

export interface Host {
  readonly disk: 'image' | 'folder'
  readonly cgroups: Awaited<ReturnType<typeof openCgroups>>
  readonly launchers: Launchers
}

/** The last part of an id: its first is a time, which two nodes may share. */
export const groupName = (nodeId: string) => `svc-${nodeId.slice(-12)}`

/** Looks at what this host can do, once, when the first machine needs it. */
export async function prepareHost(layout: Layout, nodeId: string, lesser: boolean): Promise<Host> {
  await prepareKit(layout)
  const filter = seccompFile(layout.kit)
  if (lesser) return { disk: 'folder', cgroups: undefined, launchers: createLaunchers('shell', filter) }
  const [disk, cgroups, kind] = await Promise.all([chooseDisk(), openCgroups(groupName(nodeId)), chooseLauncher()])
  return { disk, cgroups, launchers: createLaunchers(kind, filter) }
}
