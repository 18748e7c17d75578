import { randomBytes } from 'node:crypto'
import { lockUnclaimed, setOwner } from '../../apps/server/src/identity/instance/store.ts'
import { addUser } from '../../apps/server/src/identity/people/store.ts'
import { mintPair } from '../../apps/server/src/identity/sessions/session-tokens.ts'
import { addRefreshToken, addSession, addSignInToken } from '../../apps/server/src/identity/sessions/store.ts'
import { systemActor } from '../../apps/server/src/kernel/actor.ts'
import { loadMasterKeys, loadTokenHasher } from '../../apps/server/src/kernel/crypto/index.ts'
import type { Database } from '../../apps/server/src/kernel/database/index.ts'
import { newId } from '../../apps/server/src/kernel/ids/index.ts'

export interface Person {
  readonly userId: string
  readonly email: string
  readonly sessionId: string
  readonly accessToken: string
  readonly refreshToken: string
  /** For `fetch`. */
  readonly headers: { readonly authorization: string; readonly 'content-type': string }
}

interface PersonOptions {
  readonly email?: string
  /** Runs the instance; the first one owns it. */
  readonly operator?: boolean
  /** Default: the address is confirmed. */
  readonly confirmed?: boolean
}

/** A signed-in person in the store of a running test platform, without the cost of a password. */
export async function createPerson(
  platform: { readonly database: Pick<Database, 'sql' | 'transact'>; readonly dataDir: string },
  {
    email = `person-${randomBytes(4).toString('hex')}@example.com`,
    operator = false,
    confirmed = true,
  }: PersonOptions = {},
): Promise<Person> {
  const masterKeys = await loadMasterKeys({ dataDir: platform.dataDir, environmentValue: undefined })
  const { hashToken } = await loadTokenHasher(platform.database.sql, masterKeys)
  const sessionId = newId()
  const pair = mintPair()
  const inAnHour = new Date(Date.now() + 3_600_000)
  return platform.database.transact(systemActor, async ({ db }) => {
    const now = new Date()
    const user = await addUser(db, { email, isOperator: operator, emailConfirmedAt: confirmed ? now : null })
    if (!user) throw new Error(`${email} exists already`)
    if (operator && (await lockUnclaimed(db))) await setOwner(db, user.userId, now)
    await addSession(db, { sessionId, userId: user.userId, method: 'password' })
    const access = { tokenHash: hashToken(pair.access), sessionId, expiresAt: inAnHour }
    await addSignInToken(db, { ...access, kind: 'access' })
    await addRefreshToken(db, { ...access, tokenHash: hashToken(pair.refresh), accessExpiresAt: inAnHour })
    return {
      userId: user.userId,
      email,
      sessionId,
      accessToken: pair.access,
      refreshToken: pair.refresh,
      headers: { authorization: `Bearer ${pair.access}`, 'content-type': 'application/json' },
    }
  })
}
