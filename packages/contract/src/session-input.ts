import { z } from 'zod'
import { uuid } from './kernel/shapes.ts'

/** What a session is made from, and the rules of its single fields. */

/** Named by their own refusals, so the operation takes them as they come and the handler applies these rules. */
const credentialLike = /(token|secret|password|credential|api[_.-]?key|private[_.-]?key|authorization|cookie)/
export const maxRuntimeContextBytes = 16 * 1024

export const RuntimeContext = z
  .record(
    z
      .string()
      .regex(/^[a-z][a-z0-9_.-]{0,63}$/, 'keys begin with a letter and hold a-z 0-9 _ . -')
      .refine((key) => !credentialLike.test(key), 'keys must not name a credential'),
    z.union([z.string().max(4096), z.number(), z.boolean(), z.null()]),
  )
  .refine((map) => Object.keys(map).length <= 64, 'must have at most 64 keys')
  .refine(
    (map) => new TextEncoder().encode(JSON.stringify(map)).length <= maxRuntimeContextBytes,
    'must not exceed 16 KiB',
  )

export const ConnectorBindings = z
  .record(z.string().min(1).max(128), z.strictObject({ connection_id: uuid }))
  .refine((map) => Object.keys(map).length <= 64, 'must have at most 64 entries')

export const SecretSelection = z
  .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, 'must be an identifier of a secret'))
  .max(128)

const contextField = z.unknown().meta({
  type: 'object',
  additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
  description: 'At most 64 flat keys and 16 KiB, no credentials; the agent reads it as SVC_SESSION_CONTEXT.',
})

export const bindingsField = z.unknown().meta({
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { connection_id: { type: 'string' } },
    required: ['connection_id'],
    additionalProperties: false,
  },
  description: 'Which connection each connector uses, by its slug.',
})

export const secretsField = z.unknown().meta({
  type: 'array',
  items: { type: 'string' },
  description: 'Identifiers; the session gets those that its agent is granted too.',
})

export const connectorAliases = z.array(z.string().min(1).max(128)).max(64)

const model = z.strictObject({ providerID: z.string().min(1).max(200), modelID: z.string().min(1).max(200) })

/** A part of a prompt, as the runtime takes it. */
export const PromptPart = z
  .looseObject({ type: z.enum(['text', 'file', 'agent', 'subtask']) })
  .meta({ id: 'PromptPart', description: 'A piece of a prompt: text, a file, an agent, a subtask.' })

export const promptParts = z.array(PromptPart).min(1).max(64)

const PendingPrompt = z.strictObject({
  text: z.string().max(1_000_000),
  agent: z.string().max(128).optional(),
  model: model.optional(),
  variant: z.string().max(128).optional(),
  attachment_names: z.array(z.string().max(512)).max(50).optional(),
  parts: z.array(PromptPart).max(64).optional(),
})

const uuidV4 = z.uuid({ version: 'v4' })

export const CreateSessionInput = z
  .strictObject({
    session_id: uuidV4.optional(),
    agent_name: z.string().min(1).max(128).optional(),
    base_ref: z.string().min(1).max(250).optional(),
    sandbox_slug: z.string().min(1).max(128).optional(),
    provider: z.string().min(1).max(64).optional(),
    opencode_model: z.string().min(1).max(200).optional(),
    initial_prompt: z.string().max(1_000_000).optional(),
    pending_prompt: PendingPrompt.optional(),
    title_source: z.string().max(100_000).optional(),
    name: z.string().max(500).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    runtime_context: contextField.optional(),
    connector_bindings: bindingsField.optional(),
    inherit_unbound: z.boolean().optional(),
    require_connectors: connectorAliases.optional(),
    secrets: secretsField.optional(),
    branch_already_created: z.boolean().optional(),
  })
  .meta({ id: 'CreateSessionInput', description: 'What a session is made from. Everything may be left out.' })

export const promptOverrides = z.strictObject({
  agent: z.string().max(128).optional(),
  model: model.optional(),
  variant: z.string().max(128).optional(),
  directory: z.string().max(4096).optional(),
})
