import { operations } from '@svc/contract'
import { answer, type Handled, handle, readIdCursor } from '../kernel/http/index.ts'
import { instanceChainId } from './event-record.ts'
import { exportLog } from './export/export-log.ts'
import { readLog } from './log/read-log.ts'
import type { AuditParts } from './parts.ts'
import { listWebhooks, webhooksPerPage } from './store/webhooks.ts'
import {
  createWebhook,
  removeWebhook,
  replayDeadLetters,
  rotateSecret,
  updateWebhook,
  type WebhookParts,
} from './webhooks/change-webhooks.ts'
import { toWebhookRecord } from './webhooks/webhook-record.ts'

export function auditRoutes(parts: AuditParts, webhooks: WebhookParts): Handled[] {
  const { audit } = operations
  const { database } = parts.kernel
  return [
    handle(audit.log, ({ accountId, query }) => readLog(parts, accountId, query)),
    handle(audit.exportLog, ({ accountId, query }) => exportLog(parts, accountId, query)),
    handle(audit.instanceLog, ({ query }) => readLog(parts, instanceChainId, query)),
    handle(audit.instanceExport, ({ query }) => exportLog(parts, instanceChainId, query)),
    handle(audit.keys, async () => {
      const keys = await parts.signer.listKeys()
      return {
        keys: keys.map(({ keyId, publicKey, isCurrent, createdAt }) => ({
          key_id: keyId,
          algorithm: 'ed25519' as const,
          public_key: publicKey,
          current: isCurrent,
          created_at: createdAt.toISOString(),
        })),
      }
    }),
    handle(audit.listWebhooks, async ({ accountId, query }) => {
      const rows = await listWebhooks(database.db, accountId, readIdCursor(query.cursor))
      const page = rows.slice(0, webhooksPerPage)
      const next = rows.length > webhooksPerPage ? page.at(-1)?.webhookId : undefined
      const headers: Record<string, string> = next === undefined ? {} : { 'x-next-cursor': next }
      return answer({ webhooks: page.map(toWebhookRecord) }, { headers })
    }),
    handle(audit.createWebhook, ({ accountId, actor, body }) => createWebhook(webhooks, actor, accountId, body)),
    handle(audit.updateWebhook, ({ accountId, actor, params, body }) =>
      updateWebhook(webhooks, actor, { accountId, webhookId: params.webhookId }, body),
    ),
    handle(audit.removeWebhook, async ({ accountId, actor, params }) => {
      await removeWebhook(webhooks, actor, { accountId, webhookId: params.webhookId })
      return { deleted: true as const }
    }),
    handle(audit.rotateWebhookSecret, ({ accountId, actor, params }) =>
      rotateSecret(webhooks, actor, { accountId, webhookId: params.webhookId }),
    ),
    handle(audit.replayWebhook, ({ accountId, actor, params, body }) =>
      replayDeadLetters(webhooks, actor, { accountId, webhookId: params.webhookId }, body.since),
    ),
  ]
}
