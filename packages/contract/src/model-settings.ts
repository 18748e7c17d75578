import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { ModelInfo } from './models.ts'

/** How a project chooses among models: routing, what is switched on, and defaults. */

const project = '/v1/projects/:projectId' as const
const routingAt = `${project}/gateway/routing-policy` as const

const concrete = (id: string) => !/\s/.test(id) && id !== 'auto'
const ModelId = z.string().min(1).max(128).refine(concrete, 'must name one model')
const FallbackOn = z.enum(['transient', 'any-error'])
const noTwice = (models: readonly string[]) => new Set(models).size === models.length

const FallbackChain = z.strictObject({
  models: z.array(ModelId).max(8).refine(noTwice, 'must not name a model twice'),
  fallbackOn: FallbackOn,
})

const RoutingRule = z
  .strictObject({
    model: ModelId,
    fallbackModels: z.array(ModelId).max(8).refine(noTwice, 'must not name a model twice'),
    fallbackOn: FallbackOn,
  })
  .refine(({ model, fallbackModels }) => !fallbackModels.includes(model), 'a model must not fall back to itself')

export const GenerationConfig = z.strictObject({
  reasoningEffort: z.string().min(1).max(32).optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxOutputTokens: z.number().int().optional(),
})

export const RoutingPolicy = z
  .strictObject({
    defaultModel: ModelId.nullable().default(null),
    visionModel: ModelId.nullable().default(null),
    defaultFallback: FallbackChain.nullable().default(null),
    rules: z
      .array(RoutingRule)
      .max(20)
      .refine((rules) => noTwice(rules.map(({ model }) => model)), 'must have one rule for a model')
      .default([]),
    modelGenerationConfig: z
      .record(ModelId, GenerationConfig)
      .refine((configs) => Object.keys(configs).length <= 100, 'must have at most 100 entries')
      .default({}),
  })
  .meta({ id: 'RoutingPolicy', description: 'Which models answer for a project, and which take over.' })

export const RoutingDocument = z
  .object({
    version: z.literal(1),
    project: RoutingPolicy,
    effective: z.object({
      defaultModel: z.string(),
      defaultModelSource: z.enum(['project', 'account', 'platform']),
      visionModel: z.string().nullable(),
      defaultFallback: FallbackChain,
    }),
    platform: z.object({
      defaultModel: z.string(),
      visionModel: z.string().nullable(),
      defaultFallback: FallbackChain,
    }),
    capabilities: z.object({ write: z.boolean() }),
  })
  .meta({ id: 'RoutingDocument', description: 'A project’s routing policy and what comes of it.' })

export const getRouting = operation({
  id: 'gateway.routing.get',
  at: `GET ${routingAt}`,
  summary: 'Read which models answer for a project',
  needs: 'project.read',
  mayNeed: ['project.customize.write'],
  audit: 'request',
  returns: RoutingDocument,
})

export const setRouting = operation({
  id: 'gateway.routing.set',
  at: `PUT ${routingAt}`,
  summary: 'Decide which models answer for a project',
  needs: 'project.customize.write',
  audit: 'gateway.routing_set',
  body: z.record(z.string(), z.unknown()),
  returns: RoutingDocument,
  errors: ['invalid_routing_policy'],
})

export const resetRouting = operation({
  id: 'gateway.routing.reset',
  at: `DELETE ${routingAt}`,
  summary: 'Go back to the platform’s routing',
  needs: 'project.customize.write',
  audit: 'gateway.routing_reset',
  returns: RoutingDocument,
})

export const previewRouting = operation({
  id: 'gateway.routing.preview',
  at: `POST ${routingAt}/preview`,
  summary: 'Ask which model would answer, why and at what price',
  needs: 'project.read',
  audit: 'request',
  idempotent: false,
  body: z.strictObject({ requestedModel: z.string().min(1).max(128), imageInput: z.boolean().optional() }),
  returns: z.object({
    version: z.literal(1),
    route: z.object({
      policyId: z.string(),
      primaryModel: z.string(),
      fallbackModels: z.array(z.string()),
      fallbackOn: FallbackOn,
    }),
    /** The model that a call would go to now; null when it would be refused. */
    answers: z.string().nullable(),
    models: z.array(
      z.object({
        model: z.string(),
        available: z.boolean(),
        reason: z.string().nullable(),
        /** How its provider has answered lately. */
        health: z.enum(['ok', 'degraded', 'down']),
        cost: z.object({ input: z.number(), output: z.number() }).nullable(),
      }),
    ),
  }),
})

export const ModelAccess = z
  .object({
    disabledProviders: z.array(z.string()),
    disabledModels: z.array(z.string()),
    defaultModel: z.string().optional(),
    enforced: z.boolean(),
  })
  .meta({ id: 'ModelAccess', description: 'Which providers and models a project has switched off.' })

export const modelAccess = operation({
  id: 'projects.modelAccess',
  at: `GET ${project}/model-access`,
  summary: 'Read which models a project has switched off',
  needs: 'project.read',
  audit: 'request',
  returns: ModelAccess,
})

export const setModelAccess = operation({
  id: 'projects.setModelAccess',
  at: `PUT ${project}/model-access`,
  summary: 'Switch a model or a provider on or off',
  needs: 'project.customize.write',
  audit: 'gateway.model_access_set',
  body: z.strictObject({ target: z.enum(['provider', 'model']), id: z.string().min(1).max(256), enabled: z.boolean() }),
  returns: ModelAccess,
  errors: ['cannot_disable_default'],
})

export const llmCatalog = operation({
  id: 'projects.llmCatalog',
  at: `GET ${project}/llm-catalog`,
  summary: 'Every model that a project could use',
  needs: 'project.read',
  audit: 'request',
  returns: z.object({ models: z.record(z.string(), ModelInfo) }),
  errors: ['feature_disabled'],
})

export const modelPicker = operation({
  id: 'projects.modelPicker',
  at: `GET ${project}/model-picker`,
  summary: 'The models to choose from, and which are switched on',
  needs: 'project.read',
  audit: 'request',
  returns: z.object({
    models: z.record(z.string(), ModelInfo.extend({ enabled: z.boolean() })),
    modelOverrides: z.record(z.string(), z.boolean()),
    defaultModel: z.string().optional(),
    usingDefaults: z.boolean(),
  }),
  errors: ['feature_disabled'],
})

const DefaultScope = z.enum(['account', 'agent', 'project'])
const defaultsAt = `${project}/model-defaults` as const

export const getDefaults = operation({
  id: 'modelDefaults.get',
  at: `GET ${defaultsAt}`,
  summary: 'Read which model is the default, and where that comes from',
  needs: 'project.read',
  audit: 'request',
  returns: z.object({
    platformDefault: z.string(),
    accountDefault: z.string().nullable(),
    agentDefaults: z.record(z.string(), z.string()),
    projectDefault: z.string().nullable(),
    resolvedForCaller: z.string().nullable(),
    resolvedSource: z.enum(['agent', 'project', 'account', 'platform']),
    freeTier: z.boolean(),
  }),
})

export const setDefault = operation({
  id: 'modelDefaults.set',
  at: `PUT ${defaultsAt}`,
  summary: 'Choose the default model of a project, an agent or the account',
  needs: 'project.customize.write',
  mayNeed: ['account.write'],
  audit: 'gateway.model_default_set',
  body: z.strictObject({
    scope: DefaultScope,
    agentName: z.string().min(1).max(128).optional(),
    model: z.string().min(1).max(128),
  }),
  returns: z.object({
    ok: z.literal(true),
    scope: DefaultScope,
    agentName: z.string().optional(),
    model: z.string(),
  }),
  errors: ['agent_name_required', 'model_not_servable'],
})

export const clearDefault = operation({
  id: 'modelDefaults.clear',
  at: `DELETE ${defaultsAt}`,
  summary: 'Take a default model back',
  needs: 'project.customize.write',
  mayNeed: ['account.write'],
  audit: 'gateway.model_default_cleared',
  query: z.object({ scope: z.string().max(64), agentName: z.string().min(1).max(128).optional() }),
  returns: z.object({ ok: z.literal(true), scope: DefaultScope, agentName: z.string().optional() }),
  errors: ['agent_name_required', 'invalid_scope'],
})
