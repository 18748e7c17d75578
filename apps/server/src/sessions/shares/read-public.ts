import type { operations } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import { describeTranscript } from '../log/read-messages.ts'
import type { Parts } from '../parts.ts'
import { nameOf } from '../session-record.ts'
import { findSession, type SessionRow } from '../store/sessions.ts'
import { findShareByHash, type ShareRow } from '../store/shares.ts'
import { hashShareToken } from './public-shares.ts'

type Ops = typeof operations.sessions

const perMinute = 60

/** What somebody without any credential may see. */
export async function readPublicShare(parts: Parts, call: Call<Ops['publicShare']>) {
  const { share, row } = await openShare(parts, call.params.token)
  const machine = await parts.sandboxes.findMachine(row.sessionId)
  return {
    share: {
      share_id: share.shareId,
      session_id: row.sessionId,
      project_id: row.projectId,
      resource_type: share.resourceType,
      label: share.label,
      sandbox_status: machine?.status ?? null,
      expires_at: share.expiresAt?.toISOString() ?? null,
    },
    session: {
      session_id: row.sessionId,
      title: nameOf(row),
      status: row.status,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    },
  }
}

export async function readPublicMessages(parts: Parts, call: Call<Ops['publicMessages']>) {
  const { share, row } = await openShare(parts, call.params.token)
  if (!share.transcript) throw problem('not_found', { say: 'This link does not show the conversation.' })
  const transcript = await describeTranscript(parts, row, { limit: 500, chars: 5000 })
  return { ...transcript, messages: transcript.messages.map(({ error: _error, ...message }) => message) }
}

/** 404 for a link that never was, 410 for one that ended. The session behind it must still be there. */
export async function openShare(
  parts: Parts,
  token: string,
  { counts = true }: { readonly counts?: boolean } = {},
): Promise<{ share: ShareRow; row: SessionRow }> {
  const { kernel } = parts
  const share = await findShareByHash(kernel.database.db, hashShareToken(token))
  if (!share) throw problem('not_found', { say: 'There is no such link.' })
  if (counts) await limitReads(parts, share.shareId)
  const isOver = share.expiresAt !== null && share.expiresAt <= kernel.clock.now()
  if (share.revokedAt !== null || isOver) throw problem('share_gone')
  const row = await findSession(kernel.database.db, share.sessionId)
  if (!row || row.deletedAt !== null) throw problem('share_gone')
  return { share, row }
}

async function limitReads({ kernel }: Parts, shareId: string): Promise<void> {
  const limit = kernel.rateLimits.rateLimit({ name: 'sessions:share', limit: perMinute, windowMs: 60_000 })
  const take = await limit.take(shareId)
  if (take.allowed) return
  throw problem('rate_limit_exceeded', {
    headers: { 'retry-after': String(take.retryAfterSeconds) },
    extras: { retry_after_seconds: take.retryAfterSeconds },
  })
}
