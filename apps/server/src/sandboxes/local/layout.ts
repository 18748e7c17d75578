import { join } from 'node:path'

/** Where the machines of this node lie. Nothing below a machine's `disk` or `run` is ever followed by the host. */
export interface Layout {
  readonly root: string
  /** What every machine gets read-only: generated files of /etc, the system call filter. */
  readonly kit: string
  /** Blank file systems, one per size. */
  readonly blanks: string
  /** Checkouts that workspaces begin as copies of, by what they hold. */
  readonly checkouts: string
  readonly machines: string
}

export interface MachinePlaces {
  readonly folder: string
  /** Spec of the machine, written once. */
  readonly spec: string
  /** What a start made outside the folder; there while it runs and after a crash. */
  readonly running: string
  /** The whole disk as one file with a file system, or … */
  readonly image: string
  /** … a folder with `workspace` and `home`. */
  readonly disk: string
  /** Made anew by every start. */
  readonly run: string
}

export function layoutOf(dataDir: string): Layout {
  const root = join(dataDir, 'sandboxes')
  const below = (name: string) => join(root, name)
  return {
    root,
    kit: below('kit'),
    blanks: below('blanks'),
    checkouts: below('checkouts'),
    machines: below('machines'),
  }
}

export function placesOf({ machines }: Layout, externalId: string): MachinePlaces {
  const folder = join(machines, externalId)
  return {
    folder,
    spec: join(folder, 'spec.json'),
    running: join(folder, 'running.json'),
    image: join(folder, 'disk.img'),
    disk: join(folder, 'disk'),
    run: join(folder, 'run'),
  }
}
