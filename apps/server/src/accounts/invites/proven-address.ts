import type { Parts } from '../parts.ts'

/** Whether this instance has people prove their address. Where it does, an unproven one is nobody's yet. */
export async function provesAddresses({ identity, mail }: Parts): Promise<boolean> {
  const { emailConfirmation } = await identity.settings.read()
  return emailConfirmation === 'auto' ? mail.canLeave : emailConfirmation === 'on'
}
