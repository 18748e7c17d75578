import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface DiskUse {
  readonly bytes: number
  /** Folders and links count as well: each takes a place on the host's disk. */
  readonly files: number
}

/** In a process of its own: a million files must not hold up the platform. Links are not followed. */
export async function measureFolders(folders: readonly string[]): Promise<DiskUse> {
  // Not every system's `du` counts files; every one counts kibibytes.
  const [kibibytes, files] = await Promise.all([sum(['-k', ...folders]), sum(['--inodes', ...folders])])
  return { bytes: kibibytes * 1024, files }
}

async function sum(args: readonly string[]): Promise<number> {
  const { stdout } = await run('du', ['-s', '-x', ...args], { timeout: 60_000 }).catch((error: unknown) => {
    // Files that vanish while it counts make it complain; what it counted still stands.
    if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return { stdout: error.stdout }
    throw error
  })
  return stdout.split('\n').reduce((total, line) => total + (Number.parseInt(line, 10) || 0), 0)
}
