import type { Kernel } from '../../kernel/kernel.ts'
import { awaySeconds, noteNode } from '../store/nodes.ts'

export interface SignOfLife {
  note(): Promise<void>
  /**
   * Whether this server has been noting itself for as long as it takes to call another one away. After a sleep of the whole
   * host all of them are late, and none is gone.
   */
  isSteady(): boolean
}

const longestGapMs = 15_000

export function createSignOfLife({ database, clock }: Pick<Kernel, 'database' | 'clock'>, nodeId: string): SignOfLife {
  let steadySinceMs = 0
  let notedAtMs = Number.NEGATIVE_INFINITY
  return {
    async note() {
      await noteNode(database.sql, nodeId)
      const nowMs = clock.nowMs()
      if (nowMs - notedAtMs > longestGapMs) steadySinceMs = nowMs
      notedAtMs = nowMs
    },
    isSteady: () => clock.nowMs() - notedAtMs <= longestGapMs && clock.nowMs() - steadySinceMs > awaySeconds * 1000,
  }
}
