import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Parts } from '../parts.ts'
import { dropAttempt, listUnfinished } from '../store/attempts.ts'
import { findProject } from '../store/projects.ts'
import { removeRepository } from './make-project.ts'

const homeFile = 'home-id'
export const purging = '.purging'

/** The name of this data directory, written once. By it a later start knows which attempts were its own. */
export async function readHome(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, homeFile)
  const known = await readFile(path, 'utf8').catch(() => '')
  if (known !== '') return known
  const id = randomUUID()
  const draft = `${path}.${id}`
  const file = await open(draft, 'w', 0o600)
  await file.writeFile(id)
  await file.sync()
  await file.close()
  await rename(draft, path)
  return readFile(path, 'utf8')
}

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
  for (const name of await readdir(home)) {
    const path = join(home, name)
    if (/\.git\.(?:new|deleted)-[0-9a-f]+$/.test(name)) {
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
