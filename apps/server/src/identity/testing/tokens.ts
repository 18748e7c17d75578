import { systemActor } from '../../kernel/actor.ts'
import { systemClock } from '../../kernel/clock/index.ts'
import type { TokenHasher } from '../../kernel/crypto/index.ts'
import type { Database } from '../../kernel/database/index.ts'
import { publishInTransaction } from '../../kernel/events/index.ts'
import { createTokens, type NewToken } from '../mint-token.ts'
import { credentialRevoked } from '../revocations.ts'
import type { TokenFilter } from '../tokens/store.ts'

/** Mints and revokes as another node would: only the database and its events connect it with the platform. */
export function createTestTokens(database: Database, tokenHasher: TokenHasher) {
  database.usePublisher(publishInTransaction)
  const tokens = createTokens(
    { tokenHasher, clock: systemClock },
    {
      announce: (tx, ids) => tx.publish(credentialRevoked.event({ credential_ids: [...ids] })),
      onRevoked: () => undefined,
    },
  )
  return {
    mintToken: (token: Omit<NewToken, 'name'>) =>
      database.transact(systemActor, (tx) => tokens.mintToken(tx, { name: 'test', ...token })),
    revoke: (filter: TokenFilter) => database.transact(systemActor, (tx) => tokens.revokeTokens(tx, filter)),
  }
}
