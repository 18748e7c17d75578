import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Where this process itself stands: what is made below these folders is limited by whatever limits the platform. */
export interface Hierarchies {
  /** Version 1: a folder per controller. */
  readonly byController: ReadonlyMap<string, string>
  /** Version 2. */
  readonly unified: string | undefined
}

export async function findHierarchies(): Promise<Hierarchies> {
  const mounts = parseMounts(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''))
  const own = parseOwn(await readFile('/proc/self/cgroup', 'utf8').catch(() => ''))
  const byController = new Map<string, string>()
  for (const { controllers, mountPoint, root } of mounts) {
    for (const controller of controllers) {
      const folder = locate(mountPoint, root, own.get(controller))
      if (controller !== '' && folder !== undefined) byController.set(controller, folder)
    }
  }
  const second = mounts.find(({ controllers }) => controllers.includes(''))
  return { byController, unified: second && locate(second.mountPoint, second.root, own.get('')) }
}

interface CgroupMount {
  /** Version 2 is the one with the empty name. */
  readonly controllers: readonly string[]
  readonly mountPoint: string
  /** What of the hierarchy is mounted; a container sees a part only. */
  readonly root: string
}

function parseMounts(text: string): CgroupMount[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ')
    const [type, , options = ''] = after.split(' ')
    const [, , , root = '/', mountPoint = ''] = before.split(' ')
    if (type === 'cgroup2') return [{ controllers: [''], mountPoint, root }]
    return type === 'cgroup' ? [{ controllers: options.split(','), mountPoint, root }] : []
  })
}

function parseOwn(text: string): Map<string, string> {
  const own = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, names = '', path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (path !== undefined) for (const name of names.split(',')) own.set(name, path)
  }
  return own
}

function locate(mountPoint: string, root: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const below = relative(root, path)
  const folder = below.startsWith('..') ? mountPoint : join(mountPoint, below)
  if (existsSync(folder)) return folder
  return existsSync(mountPoint) ? mountPoint : undefined
}
