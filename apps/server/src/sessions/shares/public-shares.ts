import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { operations, ResultOf } from '@svc/contract'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { randomBase62 } from '../../kernel/tokens/index.ts'
import { openSession, requireLifecycle, requireSharing } from '../access.ts'
import type { Parts } from '../parts.ts'
import { addShare, listShares, type NewShare, revokeShare, type ShareRow } from '../store/shares.ts'
import { previewCandidates, requireSharable } from './previews.ts'

type Ops = typeof operations.sessions
type ShareRecord = ResultOf<Ops['createShare']>['share']

const tokenLength = 32

export async function listPublicShares(parts: Parts, call: Call<Ops['listShares']>) {
  const opened = await openSession(parts, call)
  requireLifecycle(opened)
  const rows = await listShares(parts.kernel.database.db, opened.row.sessionId)
  return { shares: await Promise.all(rows.map((row) => describeShare(parts, row))) }
}

/** The token is found by its hash and sealed beside it, so that the list can show the link again. */
export async function createPublicShare(parts: Parts, call: Call<Ops['createShare']>) {
  const opened = await openSession(parts, call)
  requireSharing(opened)
  if (call.principal.agentGrant) await call.require('project.session.start')
  const { sessionId, projectId, accountId } = opened.row
  const shareId = newId()
  const token = randomBase62(tokenLength)
  const draft = readShare(call.body)
  const sealedToken = await parts.kernel.envelope.seal(placeOf({ accountId, shareId }), token)
  const row = await parts.kernel.database.transact(call.actor, async (tx) => {
    const added = await addShare(tx.db, {
      ...draft,
      shareId,
      sessionId,
      projectId,
      accountId,
      tokenHash: hashShareToken(token),
      sealedToken,
      createdBy: call.principal.id || null,
      createdAt: parts.kernel.clock.now(),
      updatedAt: parts.kernel.clock.now(),
    })
    await tx.audit({
      action: 'session.share',
      sessionId,
      resourceType: 'public_share',
      resourceId: shareId,
      metadata: { resource: added.resourceType, port: added.port, mode: added.mode, transcript: added.transcript },
    })
    return added
  })
  return { share: await describeShare(parts, row) }
}

export async function revokePublicShare(parts: Parts, call: Call<Ops['revokeShare']>) {
  const opened = await openSession(parts, call)
  requireLifecycle(opened)
  const { sessionId } = opened.row
  const { shareId } = call.params
  const row = await parts.kernel.database.transact(call.actor, async (tx) => {
    const revoked = await revokeShare(tx.db, sessionId, shareId, parts.kernel.clock.now())
    if (!revoked) throw problem('not_found', { say: 'There is no such link.' })
    await tx.audit({ action: 'session.share_revoke', sessionId, resourceType: 'public_share', resourceId: shareId })
    return revoked
  })
  return { share: await describeShare(parts, row) }
}

export const hashShareToken = (token: string) => createHash('sha256').update(token).digest('hex')

const placeOf = ({ accountId, shareId }: Pick<ShareRow, 'accountId' | 'shareId'>) => ({
  scope: accountId,
  table: 'session_public_shares',
  row: shareId,
  field: 'sealed_token',
})

type Draft = Pick<
  NewShare,
  'resourceType' | 'label' | 'port' | 'path' | 'filePath' | 'mode' | 'transcript' | 'expiresAt'
>

function readShare(body: Call<Ops['createShare']>['body']): Draft {
  const { file, preview, preview_id: previewId, mode = 'view', transcript = false, expires_at: expiresAt } = body
  const given = [file, preview, previewId].filter((one) => one !== undefined)
  if (given.length !== 1) throw invalid([{ path: 'body', message: 'must have one of file, preview and preview_id' }])
  const common = { transcript, expiresAt: expiresAt ? new Date(expiresAt) : null }
  if (file) {
    const filePath = readFilePath(file.path)
    const label = body.label ?? file.label ?? posix.basename(filePath)
    return { ...common, resourceType: 'file', label, port: null, path: '/', filePath, mode: 'view' }
  }
  const { port, path, label } = preview ? readPreview(preview) : readCandidate(previewId ?? '')
  const shown = body.label ?? preview?.label ?? label
  return { ...common, resourceType: 'preview', label: shown, port, path, filePath: null, mode }
}

function readPreview({ port, path, url }: NonNullable<Call<Ops['createShare']>['body']['preview']>) {
  const address = url !== undefined && URL.canParse(url) ? new URL(url) : undefined
  const wanted = port ?? (address ? Number(address.port || 80) : undefined)
  if (wanted === undefined) throw invalid([{ path: 'preview.port', message: 'is missing' }])
  const given = path ?? (address ? `${address.pathname}${address.search}` : '/')
  return {
    port: requireSharable(wanted),
    path: given.startsWith('/') ? given : `/${given}`,
    label: `Port ${wanted}`,
  }
}

function readCandidate(id: string) {
  const found = previewCandidates.find((candidate) => candidate.id === id)
  if (!found) throw invalid([{ path: 'preview_id', message: 'is no preview of this session' }])
  return found
}

const workspace = '/workspace'

/** Always below the workspace, whatever the path says. */
function readFilePath(given: string): string {
  const path = posix.normalize(given.startsWith('/') ? given : posix.join(workspace, given))
  const isInside = path.startsWith(`${workspace}/`) && !given.split('/').includes('..') && !given.includes('\0')
  if (!isInside) throw invalid([{ path: 'file.path', message: `must be a file below ${workspace}` }])
  return path
}

async function describeShare({ kernel, publicUrl }: Parts, row: ShareRow): Promise<ShareRecord> {
  const token = await kernel.envelope.openText(placeOf(row), row.sealedToken)
  const proxyPath =
    row.resourceType === 'file' ? `/p/public-share/${token}/file` : `/p/public-share/${token}/${row.port}${row.path}`
  return {
    share_id: row.shareId,
    session_id: row.sessionId,
    project_id: row.projectId,
    resource_type: row.resourceType,
    label: row.label,
    port: row.port,
    path: row.path,
    file_path: row.filePath,
    mode: row.mode,
    allow_websocket: row.mode === 'interactive',
    expires_at: row.expiresAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    public_token: token,
    public_path: `/share/${token}`,
    proxy_path: proxyPath,
    public_url: `${publicUrl()}/v1${proxyPath}`,
  }
}
