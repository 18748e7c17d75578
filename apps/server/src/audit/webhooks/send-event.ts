import { type Outbound, OutboundError } from '../../kernel/outbound/index.ts'
import type { EventRecord } from '../event-record.ts'
import { readRetryAfterMs } from './retry-plan.ts'
import { signDelivery } from './webhook-secret.ts'

const timeoutMs = 15_000
const maxAnswerBytes = 1024 * 1024

export interface Sending {
  readonly url: string
  readonly deliveryId: string
  readonly secrets: readonly string[]
  readonly event: EventRecord
  readonly nowMs: number
  readonly signal?: AbortSignal
}

/** What came of one attempt. `error` is fit for whoever owns the webhook. */
export interface Sent {
  readonly ok: boolean
  readonly status: number | undefined
  readonly error: string | undefined
  readonly retryAfterMs: number
  /** The address itself is not one that may be called. */
  readonly isRefused: boolean
}

export async function sendEvent({ guardedFetch }: Pick<Outbound, 'guardedFetch'>, sending: Sending): Promise<Sent> {
  const { url, deliveryId, secrets, event, nowMs, signal } = sending
  const body = JSON.stringify({ schema_version: 1, event })
  const timestamp = Math.floor(nowMs / 1000)
  try {
    const answer = await guardedFetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Svc-Audit-Webhook/1',
        'webhook-id': deliveryId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signDelivery(secrets, { id: deliveryId, timestamp, body }),
      },
      body,
      // A redirect is an answer like any other here, and no success.
      maxRedirects: 0,
      timeoutMs,
      maxBytes: maxAnswerBytes,
      ...(signal ? { signal } : {}),
    })
    const ok = answer.status >= 200 && answer.status < 300
    const retryAfterMs = readRetryAfterMs(answer.headers['retry-after'], nowMs)
    return { ok, status: answer.status, error: ok ? undefined : explain(answer.status), retryAfterMs, isRefused: false }
  } catch (error) {
    if (!OutboundError.isInstance(error)) throw error
    const isRefused = error.code === 'outbound_refused'
    return { ok: false, status: undefined, error: error.message, retryAfterMs: 0, isRefused }
  }
}

function explain(status: number): string {
  if (status >= 300 && status < 400) return `It answered ${status}: redirects are not followed.`
  return status === 410 ? 'It answered 410: it is gone for good.' : `It answered ${status}.`
}
