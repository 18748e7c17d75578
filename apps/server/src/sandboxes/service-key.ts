import { randomBytes } from 'node:crypto'
import type { Envelope } from '../kernel/crypto/index.ts'
import type { MachineRow } from './store.ts'

/** One key per machine, known to the platform and the daemon in it. It is the platform's, whoever uses the machine. */
export const newServiceKey = () => randomBytes(32).toString('base64url')

export function sealServiceKey(envelope: Envelope, externalId: string, serviceKey: string): Promise<Buffer> {
  return envelope.seal(placeOf(externalId), serviceKey)
}

export function openServiceKey(envelope: Envelope, row: MachineRow): Promise<string> {
  return envelope.openText(placeOf(row.externalId), row.sealedServiceKey)
}

const placeOf = (externalId: string) => ({
  scope: 'platform',
  table: 'sandboxes',
  row: externalId,
  field: 'service_key',
})
