import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { cursor, instant, uuid } from './kernel/shapes.ts'

/** API keys that work in one project and nowhere else. */

const base = '/v1/projects/:projectId/cli-token'

export const ProjectToken = z
  .object({
    token_id: uuid,
    name: z.string(),
    public_key: z.string(),
    status: z.enum(['active', 'revoked']),
    expires_at: instant.nullable(),
    last_used_at: instant.nullable(),
    created_at: instant,
    revoked_at: instant.nullable(),
  })
  .meta({ id: 'ProjectToken', description: 'An API key of a project, without its secret.' })

export const list = operation({
  id: 'tokens.list',
  at: `GET ${base}`,
  summary: 'List the API keys of a project, newest first',
  needs: 'project.read',
  audit: 'request',
  query: z.object({ cursor: cursor.optional() }),
  returns: z.object({ items: z.array(ProjectToken) }),
})

export const create = operation({
  id: 'tokens.create',
  at: `POST ${base}`,
  summary: 'Create an API key of a project; its secret is shown once',
  needs: 'project.credentials.issue',
  audit: 'project.token.create',
  body: z.object({ name: z.string().trim().max(10_000).optional() }).prefault({}),
  returns: z.object({
    token_id: uuid,
    name: z.string(),
    public_key: z.string(),
    secret_key: z.string(),
    status: z.enum(['active', 'revoked']),
    project_id: uuid,
    expires_at: instant.nullable(),
    created_at: instant,
  }),
  status: 201,
})

export const revoke = operation({
  id: 'tokens.revoke',
  at: `DELETE ${base}/:tokenId`,
  summary: 'Revoke an API key of a project at once',
  needs: 'project.credentials.issue',
  audit: 'project.token.revoke',
  returns: z.object({ ok: z.literal(true) }),
})
