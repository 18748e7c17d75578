import { systemActor } from '../../kernel/actor.ts'
import type { Database } from '../../kernel/database/index.ts'
import { type EventRecord, sealEvent } from '../event-record.ts'
import { hasUnsealed, listUnsealedChains, lockChain, readHead, readUnsealed, storeSeals } from '../store/seals.ts'

export interface Sealer {
  /** When it returns, every event of the chain that was committed before the call has its place. */
  sealChain(chainId: string): Promise<void>
  /** One round over every chain with waiting events; chains that another node seals are left to it. */
  sealWaiting(): Promise<number>
}

const batchSize = 1_000
const chainsPerRound = 1_000

/**
 * Gives events their numbers and hashes after they are committed, so that those who write for one account never wait
 * for each other. One sealer works on a chain at a time. A sealer that dies leaves the events waiting: the next one
 * starts where the last commit ended, so no number is skipped and none is used twice.
 */
export function createSealer({ transact, sql }: Pick<Database, 'transact' | 'sql'>): Sealer {
  async function sealBatch(chainId: string, wait: boolean): Promise<number> {
    return transact(systemActor, async ({ db }) => {
      if (!(await lockChain(db, chainId, wait))) return 0
      const events = await readUnsealed(db, chainId, batchSize)
      if (events.length === 0) return 0
      const head = await readHead(db, chainId)
      const sealed: EventRecord[] = []
      for (const event of events) {
        const last = sealed.at(-1) ?? head
        sealed.push(sealEvent(event, last.sequence + 1, last.hash))
      }
      await storeSeals(db, chainId, sealed)
      return sealed.length
    })
  }

  async function sealAll(chainId: string, wait: boolean): Promise<number> {
    let total = 0
    for (;;) {
      const count = await sealBatch(chainId, wait)
      total += count
      if (count < batchSize) return total
    }
  }

  return {
    async sealChain(chainId) {
      if (await hasUnsealed(sql, chainId)) await sealAll(chainId, true)
    },
    async sealWaiting() {
      let total = 0
      for (const chainId of await listUnsealedChains(sql, chainsPerRound)) total += await sealAll(chainId, false)
      return total
    },
  }
}
