import { isNull } from 'drizzle-orm'
import type { Db } from '../people/store.ts'
import { instanceSettings } from '../schema.ts'

export type SettingsRow = typeof instanceSettings.$inferSelect
export type SettingsChange = Partial<
  Pick<SettingsRow, 'signUp' | 'emailConfirmation' | 'redirectAllowList' | 'entitlements' | 'accountCreation'>
>

export async function readSettingsRow(db: Db): Promise<SettingsRow> {
  const [row] = await db.select().from(instanceSettings)
  if (!row) throw new Error('The row of the instance settings is missing.')
  return row
}

export async function changeSettingsRow(db: Db, change: SettingsChange, now: Date): Promise<SettingsRow> {
  const [row] = await db
    .update(instanceSettings)
    .set({ ...change, updatedAt: now })
    .returning()
  if (!row) throw new Error('The row of the instance settings is missing.')
  return row
}

/** Waits for whoever claims at the same time, so that exactly one is told that nobody did before. */
export async function lockUnclaimed(db: Db): Promise<SettingsRow | undefined> {
  const [row] = await db.select().from(instanceSettings).where(isNull(instanceSettings.ownerUserId)).for('update')
  return row
}

export async function setOwner(db: Db, userId: string, now: Date): Promise<void> {
  await db.update(instanceSettings).set({ ownerUserId: userId, updatedAt: now })
}
