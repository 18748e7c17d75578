import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { nothing } from './kernel/payload.ts'
import { cursor, instant, uuid } from './kernel/shapes.ts'
import { Project } from './projects.ts'

/** What sandboxes are made from: templates, their builds, the provider that runs them, and where they may connect to. */

const at = '/v1/projects/:projectId'
const templates = `${at}/sandbox-templates` as const
const one = `${templates}/:templateId` as const
const hourMs = 60 * 60_000
/** A build occupies the machine that runs sandboxes. */
const buildLimit = { limit: 120, windowMs: hourMs, by: 'caller' } as const

const providerMode = z.enum(['automatic', 'pinned'])
const chosen = { provider_mode: providerMode, selected_provider: z.string().nullable() }

export const SandboxCoverage = z
  .object({
    provider: z.string(),
    available: z.boolean(),
    snapshot_name: z.string(),
    state: z.string().nullable(),
    status: z.enum(['ready', 'building', 'failed', 'not_built', 'unavailable', 'unknown']),
    launch_ready: z.boolean(),
    observed_at: instant.nullable(),
  })
  .meta({ id: 'SandboxCoverage', description: 'How a template stands with one provider.' })

export const SandboxTemplate = z
  .object({
    template_id: uuid.nullable(),
    slug: z.string(),
    name: z.string(),
    is_default: z.boolean(),
    source: z.enum(['platform', 'toml', 'ui']),
    provider: z.string(),
    has_dockerfile: z.boolean(),
    has_image: z.boolean(),
    image: z.string().nullable(),
    dockerfile_path: z.string().nullable(),
    entrypoint: z.string().nullable(),
    cpu: z.number().int(),
    memory_gb: z.number().int(),
    disk_gb: z.number().int(),
    snapshot_name: z.string(),
    content_hash: z.string(),
    built_from_commit: z.string().nullable(),
    provider_state: z.string(),
    ready: z.boolean(),
    provider_coverage: z.array(SandboxCoverage).optional(),
  })
  .meta({ id: 'SandboxTemplate', description: 'What a sandbox is made from, and whether it is built.' })

export const SandboxBuild = z
  .object({
    build_id: uuid,
    slug: z.string(),
    template_slug: z.string(),
    snapshot_name: z.string(),
    content_hash: z.string(),
    status: z.enum(['building', 'ready', 'failed']),
    error: z.string().nullable(),
    error_category: z
      .enum(['quota', 'dockerfile', 'layer', 'tunnel', 'provider', 'timeout', 'runtime', 'git', 'unknown'])
      .nullable(),
    fixable_by_agent: z.boolean(),
    source: z.enum(['session-start', 'project-create', 'cr-merge', 'manual', 'background', 'startup']).nullable(),
    provider: z.string().nullable(),
    started_at: instant,
    finished_at: instant.nullable(),
  })
  .meta({ id: 'SandboxBuild', description: 'One attempt to build a template’s image.' })

export const SandboxStatus = z
  .object({
    state: z.enum(['ready', 'building', 'not_built', 'degraded', 'blocked', 'unknown']),
    snapshot_name: z.string().nullable(),
    current_failure: SandboxBuild.nullable(),
    stale_failure: SandboxBuild.nullable(),
    stale_reason: z.enum(['superseded', 'recovered', 'retrying']).nullable(),
    ready_providers: z.array(z.string()),
    building_providers: z.array(z.string()),
    failed_providers: z.array(z.string()),
    fix_with_agent_available: z.boolean(),
  })
  .meta({ id: 'SandboxStatus', description: 'How sandboxes of the project stand now, as the providers see it.' })

export const TemplateList = z
  .object({
    items: z.array(SandboxTemplate),
    default_slug: z.string().nullable(),
    ...chosen,
    warm_pool_available: z.boolean().optional(),
  })
  .meta({ id: 'SandboxTemplateList', description: 'The templates of a project.' })

export const list = operation({
  id: 'sandbox.list',
  at: `GET ${at}/sandboxes`,
  summary: 'List the sandbox templates of a project',
  needs: 'project.read',
  audit: 'request',
  returns: TemplateList,
})

export const listTemplates = operation({
  id: 'sandbox.templates',
  at: `GET ${templates}`,
  summary: 'List the sandbox templates of a project',
  needs: 'project.read',
  audit: 'request',
  returns: TemplateList,
})

export const snapshots = operation({
  id: 'sandbox.snapshots',
  at: `GET ${at}/snapshots`,
  summary: 'Read the templates, the newest builds and how the sandboxes stand',
  needs: 'project.read',
  audit: 'request',
  returns: z.object({
    templates: z.array(SandboxTemplate),
    templates_error: z.string().nullable(),
    builds: z.array(SandboxBuild),
    status: SandboxStatus,
    ...chosen,
  }),
})

export const health = operation({
  id: 'sandbox.health',
  at: `GET ${at}/sandbox-health`,
  summary: 'Read whether the project’s sandboxes can start',
  description: 'Answers within 12 seconds. What a provider does not tell in that time is null.',
  needs: 'project.read',
  audit: 'request',
  returns: z.object({
    primary_slug: z.string().nullable(),
    primary_template: SandboxTemplate.nullable(),
    ready: z.boolean(),
    building: z.boolean(),
    latest_build: SandboxBuild.nullable(),
    latest_failure: SandboxBuild.nullable(),
    status: SandboxStatus.nullable(),
    ...chosen,
  }),
})

export const rebuildSnapshot = operation({
  id: 'sandbox.rebuildSnapshot',
  at: `POST ${at}/snapshots/rebuild`,
  summary: 'Build a template again, from the beginning',
  needs: 'project.customize.write',
  rateLimit: buildLimit,
  audit: 'sandbox.rebuild',
  body: z.object({ slug: z.string().min(1).max(128).optional() }).optional(),
  returns: z.object({
    status: z.literal('started'),
    slug: z.string(),
    deleted_existing: z.boolean(),
    snapshot_name: z.string(),
    providers: z.array(z.string()).optional(),
    failed_providers: z.array(z.string()).optional(),
  }),
  status: 202,
  errors: ['template_not_found', 'sandbox_provider_unavailable', 'repository_unavailable'],
})

export const fixWithAgent = operation({
  id: 'sandbox.fixWithAgent',
  at: `POST ${at}/snapshots/fix-with-agent`,
  summary: 'Start a session whose task is to repair the failed build',
  needs: 'project.customize.write',
  mayNeed: ['project.session.start'],
  audit: 'sandbox.fix',
  returns: z.object({ session_id: uuid }),
  status: 201,
  errors: ['no_current_failure', 'not_agent_fixable', 'no_ready_sandbox', 'sandbox_state_unknown'],
})

export const buildLog = operation({
  id: 'sandbox.buildLog',
  at: `GET ${at}/snapshots/builds/:buildId/log`,
  summary: 'Read the end of what a build printed',
  needs: 'project.read',
  audit: 'request',
  returns: z.object({ build: SandboxBuild, log: z.string() }),
})

const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,127}$/, 'may hold lower-case letters, digits, dash and underscore, up to 128')
const image = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/, 'must be an image name such as debian:12')
const dockerfilePath = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$)).+$/, 'must be a relative path without ".." parts')
const name = z.string().trim().min(1).max(120)
const entrypoint = z.string().min(1).max(2_000)
const cores = z.number().int().min(1).max(32)
const memoryGb = z.number().int().min(1).max(128)
const diskGb = z.number().int().min(1).max(500)

export const TemplateInput = z
  .object({
    slug,
    name: name.optional(),
    image: image.optional(),
    dockerfile_path: dockerfilePath.optional(),
    entrypoint: entrypoint.optional(),
    cpu: cores.optional(),
    memory_gb: memoryGb.optional(),
    disk_gb: diskGb.optional(),
  })
  .refine((input) => (input.image === undefined) !== (input.dockerfile_path === undefined), {
    message: 'exactly one of image and dockerfile_path must be given',
    path: ['image'],
  })
  .meta({ id: 'SandboxTemplateInput', description: 'A template beside those of the manifest.' })

export const createTemplate = operation({
  id: 'sandbox.createTemplate',
  at: `POST ${templates}`,
  summary: 'Add a template and build it',
  needs: 'project.customize.write',
  rateLimit: buildLimit,
  audit: 'sandbox_template.create',
  body: TemplateInput,
  returns: z.object({ template_id: uuid, slug: z.string() }),
  status: 201,
  errors: ['template_slug_taken', 'template_limit_reached'],
})

export const updateTemplate = operation({
  id: 'sandbox.updateTemplate',
  at: `PATCH ${one}`,
  summary: 'Change a template and build it; null clears a field',
  needs: 'project.customize.write',
  rateLimit: buildLimit,
  audit: 'sandbox_template.update',
  body: z.object({
    slug: slug.optional(),
    name: name.nullable().optional(),
    image: image.nullable().optional(),
    dockerfile_path: dockerfilePath.nullable().optional(),
    entrypoint: entrypoint.nullable().optional(),
    cpu: cores.nullable().optional(),
    memory_gb: memoryGb.nullable().optional(),
    disk_gb: diskGb.nullable().optional(),
  }),
  returns: z.object({
    template_id: uuid,
    slug: z.string(),
    build_status: z.literal('started'),
    providers: z.array(z.string()),
  }),
  errors: ['template_slug_taken'],
})

export const removeTemplate = operation({
  id: 'sandbox.removeTemplate',
  at: `DELETE ${one}`,
  summary: 'Remove a template',
  needs: 'project.customize.write',
  audit: 'sandbox_template.remove',
  returns: nothing,
  errors: ['shared_template'],
})

export const buildTemplate = operation({
  id: 'sandbox.buildTemplate',
  at: `POST ${one}/build`,
  summary: 'Build a template unless its image is there',
  needs: 'project.customize.write',
  rateLimit: buildLimit,
  audit: 'sandbox.build',
  returns: z.object({
    status: z.literal('started'),
    template_id: uuid,
    slug: z.string(),
    providers: z.array(z.string()).optional(),
  }),
  status: 202,
  errors: ['sandbox_provider_unavailable'],
})

const transitionStatus = z.enum([
  'pending',
  'building',
  'ready',
  'activating',
  'activated',
  'failed',
  'superseded',
  'cancelled',
])

const publicTransition = {
  transition_id: uuid,
  project_id: uuid,
  status: transitionStatus,
  source_provider: z.string(),
  target_provider: z.string(),
  active_provider: z.string(),
  label: z.string(),
  generation: z.number().int(),
  error_class: z.string().nullable(),
  requested_at: instant,
  ready_at: instant.nullable(),
  activated_at: instant.nullable(),
  immediate: z.boolean(),
}

export const ProviderTransition = z
  .object(publicTransition)
  .meta({ id: 'ProviderTransition', description: 'A change of a project’s sandbox provider, as everybody may see it.' })

export const setProvider = operation({
  id: 'sandbox.setProvider',
  at: `PATCH ${at}/sandbox-provider`,
  summary: 'Choose the provider that runs the project’s sandboxes',
  description:
    'Null, the platform’s default and the provider in use apply at once. Another one is prepared first: its image is built and verified while the old provider serves, then it takes over. Read the transition to follow it.',
  needs: 'project.customize.write',
  audit: 'sandbox.set_provider',
  body: z.object({ provider: z.string().min(1).max(64).nullable() }),
  returns: z.discriminatedUnion('kind', [
    Project.extend({ kind: z.literal('project') }),
    z.object({
      kind: z.literal('preparation'),
      ...publicTransition,
      snapshot_name: z.string().nullable(),
      external_template_id: z.string().nullable(),
      commit_sha: z.string().nullable(),
      attempts: z.number().int(),
      last_error: z.string().nullable(),
    }),
  ]),
  errors: ['unknown_sandbox_provider'],
})

export const transition = operation({
  id: 'sandbox.transition',
  at: `GET ${at}/sandbox-provider/transition`,
  summary: 'Read how the change of provider goes',
  needs: 'project.read',
  audit: 'request',
  returns: z.object({
    active_provider: z.string().nullable(),
    latest: ProviderTransition.nullable(),
    history: z.array(ProviderTransition),
  }),
})

export const EgressRules = z
  .object({
    mode: z.enum(['public', 'listed']),
    allow: z.array(z.string()).nullable(),
    updated_at: instant.nullable(),
  })
  .meta({ id: 'EgressRules', description: 'Where a project’s sandboxes may connect to.' })

export const egress = operation({
  id: 'sandbox.egress.get',
  at: `GET ${at}/sandbox-egress`,
  summary: 'Read where the project’s sandboxes may connect to',
  needs: 'project.customize.read',
  audit: 'request',
  returns: EgressRules,
})

export const updateEgress = operation({
  id: 'sandbox.egress.update',
  at: `PUT ${at}/sandbox-egress`,
  summary: 'Set the hosts that the project’s sandboxes may connect to; null: every public host',
  description:
    'An entry is a host, `*.` and a host for everything below it, or an address, each with an optional port. It takes effect for new connections within a second. Private addresses stay refused whatever the list says.',
  needs: 'project.customize.write',
  audit: 'sandbox.set_egress',
  body: z.object({ allow: z.array(z.string().min(1).max(300)).max(500).nullable() }),
  returns: EgressRules,
})

export const EgressLogEntry = z
  .object({
    entry_id: z.string(),
    session_id: uuid,
    host: z.string(),
    port: z.number().int(),
    outcome: z.string(),
    connections: z.number().int(),
    bytes_in: z.number().int(),
    bytes_out: z.number().int(),
    started_at: instant,
    ended_at: instant,
  })
  .meta({ id: 'EgressLogEntry', description: 'Connections of one session to one place within a second.' })

export const egressLog = operation({
  id: 'sandbox.egress.log',
  at: `GET ${at}/sandbox-egress/log`,
  summary: 'Read which connections the project’s sandboxes made, newest first',
  needs: 'project.customize.read',
  audit: 'request',
  query: z.object({ session_id: uuid.optional(), cursor: cursor.optional() }),
  returns: z.object({ items: z.array(EgressLogEntry), next_cursor: z.string().nullable() }),
})
