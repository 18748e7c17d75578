import type { WebhookRow } from '../store/webhooks.ts'

/** A webhook as clients get it: never its secrets. */
export function toWebhookRecord(row: WebhookRow) {
  return {
    webhook_id: row.webhookId,
    name: row.name,
    url: row.url,
    enabled: row.enabled,
    action_prefix: row.actionPrefix,
    last_delivered_at: row.lastDeliveredAt?.toISOString() ?? null,
    last_error_at: row.lastErrorAt?.toISOString() ?? null,
    last_error: row.lastError,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
