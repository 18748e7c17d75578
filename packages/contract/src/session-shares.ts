import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { instant, uuid } from './kernel/shapes.ts'
import { sessionPath, sessionStatuses, Transcript } from './sessions.ts'

/** What of a session can be shown to others: its previews, and links that open one of them to anybody. */

const text = z.string().nullable()

export const previews = operation({
  id: 'session.previews',
  at: `GET ${sessionPath}/previews`,
  summary: 'List where a session may serve something to look at',
  needs: 'project.session.read',
  audit: 'request',
  returns: z.object({
    candidates: z.array(
      z.object({
        id: z.string(),
        label: z.string(),
        port: z.number().int(),
        path: z.string(),
        status: z.enum(['online', 'offline', 'unknown']),
        source: z.string(),
      }),
    ),
  }),
})

export const PublicShare = z
  .object({
    share_id: uuid,
    session_id: uuid,
    project_id: uuid,
    resource_type: z.enum(['preview', 'file']),
    label: z.string(),
    port: z.number().int().nullable(),
    path: z.string(),
    file_path: text,
    mode: z.enum(['view', 'interactive']),
    allow_websocket: z.boolean(),
    expires_at: instant.nullable(),
    revoked_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
    public_token: z.string(),
    public_path: z.string(),
    proxy_path: z.string(),
    public_url: text,
  })
  .meta({ id: 'PublicShare', description: 'A link that shows one preview or file of a session to anybody who has it.' })

const share = z.object({ share: PublicShare })

export const listShares = operation({
  id: 'session.publicShares.list',
  at: `GET ${sessionPath}/public-shares`,
  summary: 'List a session’s public links, newest first',
  needs: 'project.session.read',
  audit: 'request',
  returns: z.object({ shares: z.array(PublicShare) }),
})

const port = z.number().int().min(1).max(65_535)
const label = z.string().trim().min(1).max(200)
const path = z.string().max(2048)

export const createShare = operation({
  id: 'session.publicShares.create',
  at: `POST ${sessionPath}/public-shares`,
  summary: 'Make a link that shows one preview or file of a session to anybody',
  description:
    'One of `file`, `preview` and `preview_id`. Nothing of the conversation is shown unless `transcript` is true.',
  needs: 'project.session.read',
  // An agent that may only read sessions opens none to the world.
  mayNeed: ['project.session.start'],
  audit: 'session.share',
  body: z.strictObject({
    file: z.strictObject({ path: z.string().min(1).max(4096), label: label.optional() }).optional(),
    preview: z
      .strictObject({ port: port.optional(), path: path.optional(), url: path.optional(), label: label.optional() })
      .optional(),
    preview_id: z.string().max(64).optional(),
    mode: z.enum(['view', 'interactive']).optional(),
    transcript: z.boolean().optional(),
    label: label.optional(),
    expires_at: instant.nullable().optional(),
  }),
  returns: share,
  status: 201,
  errors: ['share_port_blocked', 'personal_connector_connection_requires_private_session'],
})

export const revokeShare = operation({
  id: 'session.publicShares.revoke',
  at: `DELETE ${sessionPath}/public-shares/:shareId`,
  summary: 'End a public link',
  needs: 'project.session.read',
  audit: 'session.share_revoke',
  returns: share,
})

const token = z.string().regex(/^[0-9A-Za-z]{32}$/)
const anonymous = { needs: 'public', audit: 'none', params: { token } } as const

export const publicShare = operation({
  id: 'sessionShares.get',
  at: 'GET /v1/public/session-shares/:token',
  summary: 'Read what a public link shows',
  ...anonymous,
  returns: z.object({
    share: z.object({
      share_id: uuid,
      session_id: uuid,
      project_id: uuid,
      resource_type: z.enum(['preview', 'file']),
      label: z.string(),
      sandbox_status: text,
      expires_at: instant.nullable(),
    }),
    session: z.object({
      session_id: uuid,
      title: text,
      status: z.enum(sessionStatuses),
      created_at: instant,
      updated_at: instant,
    }),
  }),
  errors: ['share_gone'],
})

export const publicMessages = operation({
  id: 'sessionShares.messages',
  at: 'GET /v1/public/session-shares/:token/messages',
  summary: 'Read the conversation behind a public link that shows it',
  ...anonymous,
  returns: Transcript,
  errors: ['share_gone'],
})
