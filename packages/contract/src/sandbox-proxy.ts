import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import type { Method } from './kernel/path.ts'
import { redirect, relayed } from './kernel/payload.ts'
import { instant } from './kernel/shapes.ts'

/** The way into a running sandbox: its agent runtime and the ports its programs listen on. */

/** The provider's name of a machine, as every address of the proxy has it. */
export const ExternalId = z.string().regex(/^sb[0-9a-z]{18}$/)

const base = '/v1/p/:sandboxId{sb[0-9a-z]{18}}/:port' as const
const params = { sandboxId: ExternalId }
const perMinute = { limit: 600, windowMs: 60_000, by: 'caller' } as const
const unreachable = ['sandbox_not_ready', 'sandbox_unreachable', 'sandbox_timeout'] as const
const refused = ['validation_failed', 'port_blocked', 'upload_too_large'] as const
const prompting = [
  'agent_not_accessible',
  'agent_not_available',
  'agent_grant_unresolved',
  'session_busy',
  'connector_connection_required',
  'required_connector_connection_unavailable',
  'connector_requirements_unresolved',
  'long_turn_proxy_timeout',
] as const

function relay(method: Method, id: string) {
  return operation({
    id: `sandboxProxy.${id}`,
    at: `${method} ${base}/:path{.*}`,
    summary: `Pass a ${method} request on to a port of a sandbox`,
    description:
      'The credential may also be in `?token=` or in the cookie that `POST /v1/p/auth` sets. It is never passed on. WebSockets open with GET.',
    needs: 'project.session.read',
    rateLimit: perMinute,
    audit: 'request',
    params: { ...params, path: z.string() },
    returns: relayed,
    idempotent: false,
    errors: [...unreachable, ...refused, ...prompting],
  })
}

export const relayGet = relay('GET', 'get')
export const relayPost = relay('POST', 'post')
export const relayPut = relay('PUT', 'put')
export const relayPatch = relay('PATCH', 'patch')
export const relayDelete = relay('DELETE', 'delete')

export const enter = operation({
  id: 'sandboxProxy.enter',
  at: `GET ${base}`,
  summary: 'Go to the root of a port of a sandbox',
  needs: 'project.session.read',
  audit: 'request',
  params,
  returns: redirect,
  status: 301,
})

export const signIn = operation({
  id: 'sandboxProxy.signIn',
  at: 'POST /v1/p/auth',
  summary: 'Get the cookie and the ticket with which a browser opens previews',
  description: 'For a minute, the ticket opens previews on their own hosts as `?token=`; it opens nothing else.',
  needs: 'signed-in',
  audit: 'request',
  returns: z.object({ ok: z.literal(true), ticket: z.string(), expires_at: instant }),
  idempotent: false,
})

export const config = operation({
  id: 'sandboxProxy.config',
  at: 'GET /v1/p/config',
  summary: 'Tell where previews open',
  needs: 'public',
  audit: 'none',
  returns: z.object({ preview_url_template: z.string().nullable() }),
})

/** Links that open one port of a sandbox without a credential. */

const SandboxShare = z
  .object({
    url: z.string(),
    port: z.number().int(),
    token: z.string(),
    expiresAt: instant,
    label: z.string().optional(),
  })
  .meta({ id: 'SandboxShare', description: 'A link that opens one port of a sandbox until it expires.' })

const ttl = z.string().regex(/^[1-9]\d{0,4}[smhd]$/, 'must be a duration such as 30m, 1h or 7d')

export const listShares = operation({
  id: 'sandboxShares.list',
  at: 'GET /v1/p/share',
  summary: 'List the links into a sandbox',
  needs: 'project.session.read',
  audit: 'request',
  query: z.object({ sandbox_id: ExternalId }),
  returns: z.object({ shares: z.array(SandboxShare) }),
  errors: ['not_found'],
})

export const createShare = operation({
  id: 'sandboxShares.create',
  at: 'POST /v1/p/share',
  summary: 'Make a link that opens one port of a sandbox without a credential',
  needs: 'project.session.start',
  audit: 'sandbox_share.create',
  body: z.object({
    sandbox_id: ExternalId,
    port: z.number().int().min(1).max(65_535),
    ttl: ttl.optional(),
    label: z.string().min(1).max(120).optional(),
  }),
  returns: SandboxShare,
  errors: ['not_found', 'share_port_blocked', 'sandbox_not_ready', 'sandbox_share_limit'],
})

export const revokeShare = operation({
  id: 'sandboxShares.revoke',
  at: 'DELETE /v1/p/share/:token',
  summary: 'End a link into a sandbox',
  needs: 'project.session.start',
  audit: 'sandbox_share.revoke',
  query: z.object({ sandbox_id: ExternalId }),
  returns: z.object({ ok: z.literal(true) }),
})

const shareErrors = ['share_gone', 'share_refused', 'share_read_only', ...unreachable, 'upload_too_large'] as const
const shared = '/v1/p/public-share/:token{[0-9A-Za-z]{32}}' as const

export const describeShare = operation({
  id: 'publicShares.describe',
  at: `GET ${shared}`,
  summary: 'Tell what a public link opens',
  needs: 'public',
  audit: 'none',
  returns: z.object({
    share: z.object({
      resource_type: z.enum(['preview', 'file']),
      label: z.string().nullable(),
      port: z.number().int().nullable(),
      mode: z.enum(['view', 'interactive']),
      expires_at: instant.nullable(),
      proxy_path: z.string(),
      public_url: z.string(),
    }),
  }),
  errors: ['share_gone'],
})

function openShare(method: Method, id: string) {
  return operation({
    id: `publicShares.${id}`,
    at: `${method} ${shared}/:port{[0-9]{1,5}}/:path{.*}`,
    summary: `Pass a ${method} request on to the port that a public link opens`,
    needs: 'public',
    audit: 'none',
    params: { path: z.string() },
    returns: relayed,
    errors: shareErrors,
  })
}

export const shareGet = openShare('GET', 'get')
export const sharePost = openShare('POST', 'post')
export const sharePut = openShare('PUT', 'put')
export const sharePatch = openShare('PATCH', 'patch')
export const shareDelete = openShare('DELETE', 'delete')

export const shareFile = operation({
  id: 'publicShares.file',
  at: `GET ${shared}/file`,
  summary: 'Read the file that a public link opens',
  needs: 'public',
  audit: 'none',
  returns: relayed,
  errors: shareErrors,
})
