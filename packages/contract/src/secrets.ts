import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { cursor, instant, uuid } from './kernel/shapes.ts'
import { GitConnection } from './projects.ts'

/** A project's secrets: written, delivered by policy, and never read back. */

const base = '/v1/projects/:projectId/secrets'

export const maxSecretBytes = 65_536
export const secretStrategies = ['runtime', 'egress', 'broker', 'denied'] as const
export const secretConsumers = ['sandbox', 'network', 'broker', 'llm_gateway', 'connector', 'git_proxy'] as const

const SecretStrategy = z.enum(secretStrategies)
const SecretConsumer = z.enum(secretConsumers)

const name = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and _, and begin with no digit')
  .refine((value) => !value.startsWith('SVC_'), 'begins with SVC_, which is reserved for the platform')

const identifier = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, 'must be 1 to 128 of letters, digits, _ . - and begin with none of . -')

/** A value that PostgreSQL, an environment variable and a header can carry: any text but the null character. */
const value = z
  .string()
  .min(1)
  .refine((text) => new TextEncoder().encode(text).length <= maxSecretBytes, `must not exceed ${maxSecretBytes} bytes`)
  .refine((text) => !text.includes('\0'), 'must not contain the null character')

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
/** An exact host of two labels or more, or `*.` before one. Never an address: the last label begins with a letter. */
const hostPattern = new RegExp(`^(\\*\\.)?(${label}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

const Inject = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('header'),
    name: z
      .string()
      .max(128)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a header name'),
    template: z
      .string()
      .max(1024)
      .regex(/^[^\r\n\0]*$/, 'must be one line')
      .refine((text) => text.includes('{{secret}}'), 'must contain {{secret}}')
      .optional(),
  }),
  z.strictObject({ kind: z.literal('query'), name: z.string().min(1).max(128) }),
  z.strictObject({ kind: z.literal('json_body_field'), path: z.string().min(1).max(512) }),
])

export const EgressPolicy = z
  .strictObject({
    rules: z
      .array(
        z.strictObject({
          host: z.string().max(253).toLowerCase().regex(hostPattern, 'must be a host name, exact or after "*."'),
          methods: z
            .array(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']))
            .min(1)
            .max(7)
            .optional(),
          path: z
            .string()
            .max(2048)
            .regex(/^\/[^*\s]*$|^\/(?:[^*\s]*\/)?\*$/, 'must begin with "/"; "*" may only stand after a last "/"')
            .optional(),
          inject: Inject.optional(),
        }),
      )
      .min(1)
      .max(100),
    inject: Inject.optional(),
    backend: z.enum(['svc_fetch', 'llm_gateway', 'connector', 'git_proxy']).optional(),
    base_url_env: name.optional(),
    on_no_match: z.literal('deny').optional(),
    tls: z.enum(['terminate', 'tunnel']).optional(),
  })
  .meta({ id: 'EgressPolicy', description: 'Towards which hosts a secret may be used. The first rule that fits wins.' })

export const Secret = z
  .object({
    identifier: z.string(),
    name: z.string(),
    project_id: uuid,
    secret_id: uuid.nullable(),
    created_by: uuid.nullable(),
    created_at: instant.nullable(),
    updated_at: instant.nullable(),
    system: z.boolean(),
    readonly: z.boolean(),
    purpose: z.literal('git_auth').nullable(),
    can_rotate: z.boolean(),
    managed_by: z.string().nullable(),
    configured: z.boolean(),
    mine: z.object({ active: z.boolean(), updated_at: instant }).nullable(),
    effective_source: z.enum(['mine', 'shared', 'none']),
    can_manage_shared: z.boolean(),
    strategy: SecretStrategy,
    consumer: SecretConsumer.nullable(),
    delivery_status: z.enum(['available', 'unavailable', 'disabled']),
    delivery_blocked_reason: z.literal('no_agent_grant').nullable(),
    network_boundary_available: z.boolean().optional(),
    egress_policy: EgressPolicy.nullable(),
    strategy_locked: z.boolean(),
    last_rotated_at: instant.nullable(),
    requires_rotation: z.boolean(),
  })
  .meta({ id: 'Secret', description: 'What is known about a secret. Its value is never shown.' })

const DeliverySync = z
  .object({
    ok: z.boolean(),
    targeted: z.number().int(),
    synced: z.number().int(),
    failed: z.number().int(),
    failures: z.array(z.object({ session_id: z.string(), sandbox_id: z.string().nullable(), reason: z.string() })),
  })
  .meta({ id: 'DeliverySync', description: 'How a change reached the sandboxes that run.' })

const WrittenSecret = Secret.extend({ delivery_sync: DeliverySync.nullable() }).meta({ id: 'WrittenSecret' })

/** Checked by the handler against `EgressPolicy`, for which refusals have a code of their own. */
const policy = z.record(z.string(), z.unknown()).nullable().optional()
const handlePrefix = z
  .string()
  .max(48)
  .regex(/^[A-Za-z0-9_-]*$/, 'must be letters, digits, _ and -')
  .optional()

const policyErrors = [
  'feature_disabled',
  'secret_delivery_policy_required',
  'secret_delivery_policy_invalid',
  'secret_strategy_locked',
  'secret_rotation_required',
  'secret_boundary_destination_conflict',
  'project_secret_write_limit',
] as const

export const list = operation({
  id: 'secrets.list',
  at: `GET ${base}`,
  summary: 'List secrets without their values, and what the manifest asks for',
  needs: 'project.secret.read',
  audit: 'request',
  query: z.object({ cursor: cursor.optional() }),
  returns: z.object({
    items: z.array(Secret),
    required: z.array(z.string()),
    optional: z.array(z.string()),
    can_manage: z.boolean(),
    manifest_status: z.enum(['loaded', 'missing', 'error']),
    manifest_path: z.string(),
    manifest_error: z.string().optional(),
  }),
})

export const upsert = operation({
  id: 'secrets.upsert',
  at: `POST ${base}`,
  summary: 'Write a secret, its delivery policy, or both',
  description:
    'A new secret needs a value; without one the old value stays. A new value counts as a rotation and takes effect at once.',
  needs: 'project.secret.write',
  audit: 'secret.upsert',
  body: z.object({
    name,
    identifier: identifier.optional(),
    value: value.optional(),
    strategy: SecretStrategy.optional(),
    consumer: SecretConsumer.nullable().optional(),
    egress_policy: policy,
    handle_prefix: handlePrefix,
  }),
  returns: WrittenSecret,
  errors: [...policyErrors, 'secret_identifier_taken', 'secret_limit_reached'],
})

export const setStrategy = operation({
  id: 'secrets.setStrategy',
  at: `PUT ${base}/:identifier/strategy`,
  summary: 'Choose how a secret is delivered',
  needs: 'project.secret.write',
  audit: 'secret.strategy',
  params: { identifier },
  body: z.object({
    strategy: SecretStrategy,
    consumer: SecretConsumer.nullable().optional(),
    egress_policy: policy,
    handle_prefix: handlePrefix,
  }),
  returns: WrittenSecret,
  errors: [...policyErrors],
})

export const remove = operation({
  id: 'secrets.remove',
  at: `DELETE ${base}/:identifier`,
  summary: 'Remove a secret',
  needs: 'project.secret.write',
  audit: 'secret.remove',
  params: { identifier },
  returns: z.object({ ok: z.literal(true) }),
})

const personalName = { name: z.string().regex(/^(?!SVC_)[A-Za-z_][A-Za-z0-9_]{0,127}$/) }

export const setPersonal = operation({
  id: 'secrets.setPersonal',
  at: `PUT ${base}/:name/personal`,
  summary: 'Write one’s own value of a secret, or switch it on or off',
  description: 'It takes the place of the shared value in one’s own sessions, and nobody else can use it.',
  needs: 'project.read',
  audit: 'secret.personal.set',
  params: personalName,
  body: z.object({ value: value.optional(), active: z.boolean().optional() }),
  returns: Secret,
  errors: ['llm_credentials_project_wide', 'project_secret_write_limit', 'secret_limit_reached'],
})

export const removePersonal = operation({
  id: 'secrets.removePersonal',
  at: `DELETE ${base}/:name/personal`,
  summary: 'Remove one’s own value of a secret',
  needs: 'project.read',
  audit: 'secret.personal.remove',
  params: personalName,
  returns: z.object({ ok: z.literal(true) }),
})

export const setGitCredential = operation({
  id: 'secrets.setGitCredential',
  at: 'PUT /v1/projects/:projectId/git-credential',
  summary: 'Store the credential for a repository that lives elsewhere',
  needs: 'project.secret.write',
  audit: 'secret.git_credential.set',
  body: z.object({
    token: z.string().trim().min(1).max(16_384),
    provider: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
      .optional(),
  }),
  returns: z.object({ configured: z.literal(true), provider: z.string(), git_connection: GitConnection }),
  errors: ['git_credential_managed', 'project_secret_write_limit'],
})
