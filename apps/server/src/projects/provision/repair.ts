import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Parts } from '../parts.ts'
import { dropAttempt, isAttemptRunning, listUnfinished } from '../store/attempts.ts'
import { findProject } from '../store/projects.ts'
import { removeRepository } from './make-project.ts'

/** A draft nobody has finished by then is nobody's. */
const abandonedMs = 10 * 60_000
export const purging = '.purging'

/**
 * At start, before anybody is served: what a killed process had begun is undone, so that no half project is left and
 * every key can be used again.
 */
export async function repairProjects(parts: Parts): Promise<{ attempts: number; leftovers: number }> {
  const { db } = parts.kernel.database
  const unfinished = await listUnfinished(db, await parts.home())
  for (const { attemptId, projectId } of unfinished) {
    await removeRepository(parts, projectId)
    await dropAttempt(db, attemptId)
  }
  return { attempts: unfinished.length, leftovers: await clearLeftovers(parts) }
}

async function clearLeftovers(parts: Parts): Promise<number> {
  const { home } = parts.repositories
  let cleared = 0
  await mkdir(home, { recursive: true })
  for (const name of await readdir(home)) {
    const path = join(home, name)
    if (await isLeftover(parts, path, name)) {
      await rm(path, { recursive: true, force: true })
      cleared += 1
    }
    if (!name.endsWith(`.git${purging}`)) continue
    cleared += 1
    const projectId = name.slice(0, -`.git${purging}`.length)
    const project = await findProject(parts.kernel.database.db, projectId)
    if (project?.status === 'active') await rename(path, parts.repositories.pathOf(projectId))
    else await rm(path, { recursive: true, force: true })
  }
  return cleared
}

/** Another server may work in the same folder: what it is making right now is left alone. */
async function isLeftover(parts: Parts, path: string, name: string): Promise<boolean> {
  const draft = /^([0-9a-f-]{36})\.git\.(new|deleted)-[0-9a-f]+$/.exec(name)
  if (!draft?.[1]) return false
  if (draft[2] === 'deleted') return true
  const { database, clock } = parts.kernel
  if (await isAttemptRunning(database.db, draft[1], clock.now())) return false
  const { mtimeMs } = await stat(path)
  return Date.now() - mtimeMs > abandonedMs || !(await findProject(database.db, draft[1]))
}
