import type { operations } from '@svc/contract'
import { type Call, isUpgrade, problem } from '../kernel/http/index.ts'
import { isClosedPort } from '../sandboxes/index.ts'
import { failAt } from './explain-failure.ts'
import type { MachineAgents } from './machine-agents.ts'
import type { Parts, SessionShare, ShareUse } from './parts.ts'
import { headersInto } from './pass-headers.ts'
import { daemonPort, type Target, withoutToken } from './read-target.ts'
import { relayRequest } from './relay-request.ts'
import { relayUpgrade } from './relay-upgrade.ts'
import { findShareByHash } from './store.ts'
import { whileAllowed } from './while-allowed.ts'

type Operations = typeof operations.sandboxProxy

/** The daemon, the runtime and the file server are never anybody's preview. */
const neverShared: readonly number[] = [3211, 8000]
const perMinute = 60
const maxUploadBytes = 16 * 1024 * 1024

export function requireSharedPort(port: number): void {
  if (neverShared.includes(port) || isClosedPort(port)) throw problem('share_port_blocked')
}

/** The live link behind a token: 404 when there never was one, 410 when it has ended, 429 when it is read too often. */
async function openShare(parts: Parts, token: string, options: ShareUse = {}): Promise<SessionShare> {
  const { kernel, sessions } = parts
  const row = await findShareByHash(kernel.database.db, kernel.tokenHasher.hashToken(token))
  if (!row) return (await sessions.openShare(token, options)).share
  if (options.counts !== false) await limitUse(parts, row.shareId)
  if (row.revokedAt !== null || row.expiresAt.getTime() <= kernel.clock.nowMs()) throw problem('share_gone')
  return { ...row, resourceType: 'preview', filePath: null, mode: 'interactive' }
}

async function limitUse({ kernel }: Parts, shareId: string): Promise<void> {
  const limit = kernel.rateLimits.rateLimit({ name: 'sandbox-share', limit: perMinute, windowMs: 60_000 })
  const take = await limit.take(shareId)
  if (take.allowed) return
  throw problem('rate_limit_exceeded', {
    headers: { 'retry-after': String(take.retryAfterSeconds) },
    extras: { retry_after_seconds: take.retryAfterSeconds },
  })
}

/** The machine behind a link; nobody without a credential brings a parked one back. */
async function requireMachine({ sandboxes }: Parts, share: SessionShare, port: number): Promise<string> {
  const machine = await sandboxes.findMachine(share.sessionId)
  if (machine?.status !== 'active') throw failAt('control_plane', { port }, 'sandbox_not_ready')
  return machine.externalId
}

export async function describePublicShare(parts: Parts, call: Call<Operations['describeShare']>) {
  const share = await openShare(parts, call.params.token)
  const rest = share.resourceType === 'file' ? 'file' : `${share.port}/`
  const path = `/v1/p/public-share/${call.params.token}/${rest}`
  return {
    share: {
      resource_type: share.resourceType,
      label: share.label,
      port: share.port,
      mode: share.mode,
      expires_at: share.expiresAt?.toISOString() ?? null,
      proxy_path: path,
      public_url: `${parts.publicUrl()}${path}`,
    },
  }
}

export async function relayShare(parts: Parts, agents: MachineAgents, call: Call<Operations['shareGet']>) {
  const { incoming } = call.request
  const { token, port } = call.params
  const share = await openShare(parts, token)
  if (share.resourceType !== 'preview' || share.port !== Number(port)) throw problem('share_refused')
  const isRead = incoming.method === 'GET' || incoming.method === 'HEAD'
  if (share.mode === 'view' && (!isRead || isUpgrade(incoming))) throw problem('share_read_only')
  const prefix = `/v1/p/public-share/${token}/${port}`
  const target: Target = {
    externalId: await requireMachine(parts, share, share.port),
    port: share.port,
    path: withoutToken((incoming.url ?? '').slice(prefix.length) || '/'),
    prefix,
    isOnOwnHost: false,
  }
  const headers = headersInto(incoming, target, parts.publicUrl())
  const relay = { incoming, outgoing: call.outgoing, target, headers }
  const check = () => openShare(parts, token, { counts: false })
  await whileAllowed<unknown>({ clock: parts.kernel.clock, socket: incoming.socket, check }, () =>
    isUpgrade(incoming)
      ? relayUpgrade(agents, relay)
      : relayRequest(agents, { ...relay, body: undefined, maxBodyBytes: maxUploadBytes, ...timing }),
  )
  return undefined
}

export async function relaySharedFile(parts: Parts, agents: MachineAgents, call: Call<Operations['shareFile']>) {
  const { incoming } = call.request
  const share = await openShare(parts, call.params.token)
  if (share.filePath === null) throw problem('share_refused')
  const target: Target = {
    externalId: await requireMachine(parts, share, daemonPort),
    port: daemonPort,
    path: `/file/raw?path=${encodeURIComponent(share.filePath)}`,
    prefix: `/v1/p/public-share/${call.params.token}/file`,
    isOnOwnHost: false,
  }
  const headers = {
    ...headersInto(incoming, target, parts.publicUrl()),
    ...(await parts.sandboxes.daemonHeaders(target.externalId, nobody)),
  }
  await relayRequest(agents, {
    incoming,
    outgoing: call.outgoing,
    target,
    headers,
    body: undefined,
    maxBodyBytes: 0,
    ...timing,
  })
  return undefined
}

/** Whoever holds a link reads, and acts for nobody. */
const nobody = { userId: 'public-share', role: 'member', scopes: [] } as const

const timing = { firstHeaderMs: 60_000, lateCode: 'sandbox_timeout' } as const
