import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, truncate, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type HeartbeatTiming, heartbeatTiming, isHeartbeatSeen, startHeartbeat } from './lock-heartbeat.ts'
import { identifyProcess, isProcessAlive, isVisible, type ProcessIdentity } from './process-identity.ts'

/**
 * A lock that survives kill -9 of its holder and is taken by exactly one of any number of racing starters.
 *
 * The lock is a small directory of numbered files; the highest number is the lock. Its content names the holder, an
 * empty file is a released lock, and a holder that no longer lives has lost it. Taking the lock is `link` to the next
 * number, which only one starter can do. The highest file is never removed, so a starter that acts on an old view
 * makes a number below the highest, sees that when it looks again, and loses.
 *
 * A holder in another container or on another machine cannot be looked up by its pid. Every holder therefore touches
 * its file every few seconds, and such a lock is free only after nobody has touched it for the stale time.
 */
export type LockAttempt =
  | { readonly taken: true; release(): Promise<void> }
  | { readonly taken: false; readonly holder: ProcessIdentity; readonly isElsewhere: boolean }

export async function takeInstanceLock(directory: string, timing = heartbeatTiming): Promise<LockAttempt> {
  for (;;) {
    const highest = await findHighest(directory)
    const path = join(directory, String(highest))
    const holder = highest === 0 ? undefined : await readHolder(path)
    const isElsewhere = holder !== undefined && !(await isVisible(holder))
    if (holder !== undefined && (await isHeld(holder, isElsewhere, path, timing))) {
      return { taken: false, holder, isElsewhere }
    }

    const mine = highest + 1
    const won = await tryGeneration(directory, mine)
    if (!won) continue

    await removeOlder(directory, mine)
    return holdLock(join(directory, String(mine)), timing)
  }
}

function isHeld(
  holder: ProcessIdentity,
  isElsewhere: boolean,
  path: string,
  timing: HeartbeatTiming,
): Promise<boolean> {
  return isElsewhere ? isHeartbeatSeen(path, timing) : isProcessAlive(holder)
}

function holdLock(path: string, timing: HeartbeatTiming): LockAttempt {
  const stopHeartbeat = startHeartbeat(path, timing)
  return {
    taken: true,
    async release() {
      stopHeartbeat()
      await truncate(path, 0)
    },
  }
}

async function tryGeneration(directory: string, generation: number): Promise<boolean> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if (!isCode(error, 'EEXIST')) throw error
  })
  const draft = join(directory, `draft-${process.pid}-${randomBytes(6).toString('hex')}`)
  const target = join(directory, String(generation))
  const self = await identifyProcess(process.pid)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(JSON.stringify(self))
    await file.sync()
    await link(draft, target)
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await file.close()
    await unlink(draft)
  }
  if ((await findHighest(directory)) === generation) return true
  await unlink(target)
  return false
}

async function findHighest(directory: string): Promise<number> {
  const generations = (await listNames(directory)).filter((name) => /^\d+$/.test(name)).map(Number)
  return Math.max(0, ...generations)
}

async function removeOlder(directory: string, generation: number): Promise<void> {
  for (const name of await listNames(directory)) {
    if (!/^\d+$/.test(name) || Number(name) >= generation) continue
    await unlink(join(directory, name)).catch((error: unknown) => {
      // A starter that lost removes its own file too.
      if (!isCode(error, 'ENOENT')) throw error
    })
  }
}

async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return []
    throw error
  }
}

async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (typeof value !== 'object' || value === null) return undefined
    if (!('pid' in value && 'startedAt' in value && 'bootId' in value)) return undefined
    const { pid, startedAt, bootId } = value
    if (typeof pid !== 'number' || typeof startedAt !== 'string' || typeof bootId !== 'string') return undefined
    return {
      pid,
      startedAt,
      bootId,
      ...('pidNamespace' in value && typeof value.pidNamespace === 'string'
        ? { pidNamespace: value.pidNamespace }
        : {}),
      ...('host' in value && typeof value.host === 'string' ? { host: value.host } : {}),
    }
  } catch {
    // Drafts are complete before they are linked, so an empty file was released and a torn one is from before a power cut.
    return undefined
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
