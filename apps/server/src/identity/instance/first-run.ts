import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Actor } from '../../kernel/actor.ts'
import { equalConstantTime } from '../../kernel/crypto/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { requireStrongPassword } from '../passwords/check-password.ts'
import { addUser, type User } from '../people/store.ts'
import { lockUnclaimed, readSettingsRow, setOwner } from './store.ts'

export interface OwnerInput {
  readonly token: string
  readonly email: string
  readonly password: string
}

/**
 * The link that makes the first person the owner, or undefined once it was used. It is derived, not stored: every
 * start and every node shows the same one until then, so no crash can lose it.
 */
export async function readFirstRunToken({ kernel }: Pick<Parts, 'kernel'>): Promise<string | undefined> {
  const row = await readSettingsRow(kernel.database.db)
  return row.ownerUserId === null ? deriveToken(kernel, row.firstRunNonce) : undefined
}

/** Whether this is the link's token. Says nothing else, whatever the instance's state. */
export async function isFirstRunToken(parts: Parts, token: string): Promise<boolean> {
  const expected = await readFirstRunToken(parts)
  return expected !== undefined && equalConstantTime(expected, token)
}

/** The person, the operator's mark and the claim of the instance are one transaction: all or nothing. */
export async function claimInstance<T>(
  parts: Parts,
  input: OwnerInput,
  actor: Actor,
  proceed: (tx: Tx, owner: User) => Promise<T>,
): Promise<T> {
  if (!(await isFirstRunToken(parts, input.token))) throw problem('first_run_link_invalid')
  requireStrongPassword(input.password, input.email)
  const passwordHash = await parts.passwords.hashPassword(input.password)
  const now = parts.kernel.clock.now()
  return parts.kernel.database.transact(actor, async (tx) => {
    if (!(await lockUnclaimed(tx.db))) throw problem('first_run_link_invalid')
    const { email } = input
    // Whoever holds this link holds the machine, so the address needs no further proof.
    const owner = await addUser(tx.db, { email, passwordHash, isOperator: true, emailConfirmedAt: now, createdAt: now })
    if (!owner) throw problem('user_already_exists')
    await setOwner(tx.db, owner.userId, now)
    await parts.settings.announce(tx)
    await tx.audit({
      action: 'auth.signup',
      outcome: 'success',
      resourceType: 'user',
      resourceId: owner.userId,
      metadata: { method: 'first_run', is_operator: true },
    })
    tx.afterCommit(() => removeFirstRunFile(parts.kernel.config.dataDir))
    return proceed(tx, owner)
  })
}

const fileIn = (dataDir: string) => join(dataDir, 'first-run-link')

/** For programs: the link in a file that only this user can read, exactly while it works. */
export async function writeFirstRunFile(dataDir: string, link: string | undefined): Promise<void> {
  if (link === undefined) return removeFirstRunFile(dataDir)
  const file = fileIn(dataDir)
  const present = await readFile(file, 'utf8').catch(() => undefined)
  if (present === `${link}\n`) return
  const draft = `${file}.${process.pid}.draft`
  await writeFile(draft, `${link}\n`, { mode: 0o600 })
  await rename(draft, file)
}

async function removeFirstRunFile(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true })
}

function deriveToken({ tokenHasher }: Parts['kernel'], nonce: string): string {
  return tokenHasher.hashToken(`first run ${nonce}`)
}
