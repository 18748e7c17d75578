import type { Tx } from '../../kernel/database/index.ts'
import type { Parts } from '../parts.ts'
import { findPersonByEmail, type PersonRow } from '../store/accounts.ts'
import { provesAddresses } from './proven-address.ts'

/** Somebody who signed up with an address nobody proved may not be the one whom it names. */
export async function findKnownPerson(parts: Parts, tx: Tx, email: string): Promise<PersonRow | undefined> {
  const known = await findPersonByEmail(tx, email)
  if (!known) return undefined
  return known.isConfirmed || !(await provesAddresses(parts)) ? known : undefined
}
