import type { Tx } from '../../kernel/database/index.ts'
import { findPersonByEmail, type PersonRow } from '../store/accounts.ts'

/** Somebody who signed up with an address nobody proved may not be the one whom it names. */
export async function findKnownPerson(tx: Tx, email: string): Promise<PersonRow | undefined> {
  const known = await findPersonByEmail(tx, email)
  return known?.isConfirmed ? known : undefined
}
