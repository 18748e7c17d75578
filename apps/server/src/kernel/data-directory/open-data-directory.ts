import { existsSync } from 'node:fs'
import { access, constants, mkdir, open, stat, unlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { StartError } from '../start-error.ts'
import { takeInstanceLock } from './instance-lock.ts'
import type { ProcessIdentity } from './process-identity.ts'

export interface DataDirectory {
  readonly path: string
  /** How long it took to create, check and lock it. */
  readonly lockMs: number
  /** Gives the lock back. Everything that writes below the directory must have stopped. */
  release(): Promise<void>
}

/** Only one living process has a data directory open. A refused one has changed nothing in it. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const startedAt = performance.now()
  const directory = isAbsolute(path) ? path : resolve(path)
  await createDirectory(directory)
  const lock = await takeLock(directory)
  try {
    await checkWritable(directory)
  } catch (error) {
    await lock.release()
    throw error
  }
  return { path: directory, lockMs: performance.now() - startedAt, release: lock.release }
}

async function createDirectory(directory: string): Promise<void> {
  try {
    await makeFolders(directory)
  } catch (error) {
    throw unusable(directory, error)
  }
  const found = await stat(directory)
  if (!found.isDirectory()) throw unusable(directory, new Error('it is not a directory'))
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unusable(directory, error)
  }
}

/** One folder after the other: Node's own recursive way never returns where a file system has no room for folders. */
async function makeFolders(directory: string): Promise<void> {
  const missing: string[] = []
  for (let folder = directory; !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder)) {
    missing.unshift(folder)
  }
  for (const folder of missing) {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      // Another starter may have made it meanwhile.
      if (!existsSync(folder)) throw error
    })
  }
}

async function takeLock(directory: string) {
  try {
    const attempt = await takeInstanceLock(join(directory, 'lock'))
    if (attempt.taken) return attempt
    if (attempt.isElsewhere) throw usedElsewhere(directory, attempt.holder)
    throw new StartError(
      `Another server (process ${attempt.holder.pid}) is already using the data directory ${directory}.`,
      `Stop process ${attempt.holder.pid} first, or give this server a data directory of its own.`,
    )
  } catch (error) {
    throw StartError.isInstance(error) ? error : unusable(directory, error)
  }
}

function usedElsewhere(directory: string, { pid, host = 'unknown' }: ProcessIdentity): StartError {
  return new StartError(
    `A server in another container or on another machine (host ${host}, process ${pid} there) is already using the data ` +
      `directory ${directory}.`,
    'Stop that server first, or give this one a data directory of its own. Two servers must never share one.',
  )
}

/** `access` believes a read-only or full file system to be writable; only a real write tells. */
async function checkWritable(directory: string): Promise<void> {
  const probe = join(directory, 'lock', `probe-${process.pid}`)
  try {
    const file = await open(probe, 'w', 0o600)
    await file.writeFile('probe').finally(() => file.close())
    await unlink(probe)
  } catch (error) {
    throw unusable(directory, error)
  }
}

function unusable(directory: string, error: unknown): StartError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC') {
    return new StartError(
      `The disk that holds the data directory ${directory} is full.`,
      'Free some space on it and start again. Nothing was damaged.',
      { cause: error },
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new StartError(
    `The data directory ${directory} cannot be used: ${reason}.`,
    'Give the user that runs the server write access to it, or choose another data directory.',
    { cause: error },
  )
}
