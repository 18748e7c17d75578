import { existsSync } from 'node:fs'
import { z } from 'zod'
import { collectGarbage, openRepository } from '../git/index.ts'
import { defineJob, defineSchedule } from '../kernel/jobs/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { listRepositoryIds } from './store.ts'

const pageSize = 200

/** Every night each repository on this machine is packed, when there is enough to gain by it. */
export function createGarbageCollection({ database }: Pick<Kernel, 'database'>, pathOf: (projectId: string) => string) {
  const job = defineJob({
    name: 'repositories.gc',
    payload: z.object({ after: z.string().optional() }),
    maxAttempts: 3,
    async run({ after }, { log, signal }) {
      let last = after
      for (;;) {
        const ids = await listRepositoryIds(database.db, last, pageSize)
        for (const projectId of ids) {
          if (signal.aborted) return
          await collectOne(projectId, signal, (error) =>
            log.warn('a repository could not be packed', { project_id: projectId, error }),
          )
        }
        last = ids.at(-1)
        if (ids.length < pageSize) return
      }
    },
  })

  async function collectOne(projectId: string, signal: AbortSignal, onFailure: (error: unknown) => void) {
    if (!existsSync(pathOf(projectId))) return
    // One broken repository keeps no other from being packed.
    await collectGarbage(openRepository(pathOf(projectId)), { signal }).catch(onFailure)
  }

  return { job, schedule: defineSchedule({ name: 'repositories.gc', cron: '41 3 * * *', job, payload: {} }) }
}
