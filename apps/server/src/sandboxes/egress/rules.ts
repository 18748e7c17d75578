import { z } from 'zod'
import { defineTopic } from '../../kernel/events/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { findAllowList } from './store.ts'

/** A project's list of allowed hosts was changed. */
export const egressRulesChanged = defineTopic('egress.rules-changed', z.object({ project_id: z.string() }))

const cachedProjects = 5_000

export interface Rules {
  /** Undefined: every public host. */
  read(projectId: string): Promise<readonly string[] | undefined>
  stop(): void
}

/** Allow-lists by project, dropped by the event of a change. Nothing is kept while no events arrive. */
export function createRules({ database, events }: Pick<Kernel, 'database' | 'events'>): Rules {
  const known = new Map<string, readonly string[] | undefined>()
  let dropped = 0
  const stop = events.subscribe(
    egressRulesChanged,
    ({ project_id }) => {
      dropped += 1
      known.delete(project_id)
    },
    {
      onGap: () => {
        dropped += 1
        known.clear()
      },
    },
  )
  return {
    async read(projectId) {
      if (known.has(projectId)) return known.get(projectId)
      const droppedBefore = dropped
      const allow = await findAllowList(database.sql, projectId)
      if (dropped === droppedBefore && events.isConnected()) {
        if (known.size >= cachedProjects) known.clear()
        known.set(projectId, allow)
      }
      return allow
    },
    stop,
  }
}
