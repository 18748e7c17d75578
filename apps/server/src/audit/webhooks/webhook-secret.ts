import { createHmac, randomBytes } from 'node:crypto'
import type { Envelope, Place } from '../../kernel/crypto/index.ts'
import type { WebhookRow } from '../store/webhooks.ts'

const prefix = 'whsec_'

export function makeSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

export function sealSecret(
  envelope: Envelope,
  hook: { readonly accountId: string; readonly webhookId: string },
  field: 'secret' | 'previous_secret',
  secret: string,
): Promise<Buffer> {
  return envelope.seal(placeOf(hook, field), secret)
}

/** The secrets that sign now: the current one first, the one before it while it still signs along. */
export async function openSecrets(envelope: Envelope, hook: WebhookRow, now: Date): Promise<[string, ...string[]]> {
  const current = await envelope.openText(placeOf(hook, 'secret'), hook.sealedSecret)
  const { sealedPreviousSecret, previousSecretUntil } = hook
  if (!sealedPreviousSecret || !previousSecretUntil || previousSecretUntil <= now) return [current]
  return [current, await envelope.openText(placeOf(hook, 'previous_secret'), sealedPreviousSecret)]
}

/** The `webhook-signature` header: one signature per secret. */
export function signDelivery(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}

function placeOf(hook: { accountId: string; webhookId: string }, field: string): Place {
  return { scope: hook.accountId, table: 'audit_webhooks', row: hook.webhookId, field }
}
