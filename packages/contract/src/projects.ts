import { z } from 'zod'
import { featureFlagKeys } from './feature-flags.ts'
import { operation } from './kernel/operation.ts'
import { cursor, instant, queryFlag, uuid } from './kernel/shapes.ts'

/** Projects: making, reading, changing and archiving them, their feature flags, and edits of their manifest. */

const at = '/v1/projects/:projectId'
const grant = z.union([z.literal('all'), z.array(z.string())])
const role = z.enum(['manager', 'member'])
export const branch = z
  .string()
  .min(1)
  .max(250)
  .regex(/^[A-Za-z0-9._/-]+$/, 'may hold letters, digits, dot, dash, underscore and slash')
export const manifestPath = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$)).+$/, 'must be a relative path without ".." parts')

export const FlagView = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    stability: z.enum(['experimental', 'beta', 'stable']),
    available: z.boolean(),
    enabled: z.boolean(),
    overridden: z.boolean(),
  })
  .meta({ id: 'FeatureFlag', description: 'One switch of a project and how it stands.' })

export const Project = z
  .object({
    project_id: uuid,
    account_id: uuid,
    name: z.string(),
    repo_url: z.string(),
    git_origin_url: z.string(),
    default_branch: z.string(),
    manifest_path: z.string(),
    status: z.enum(['active', 'archived']),
    metadata: z.record(z.string(), z.unknown()),
    last_opened_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
    project_role: role.nullable(),
    effective_project_role: role.nullable(),
    dashboard_url: z.string(),
    experimental: z.record(z.string(), z.boolean()),
    experimental_features: z.array(FlagView),
    default_sandbox_provider: z.string().nullable(),
    available_sandbox_providers: z.array(z.string()),
  })
  .meta({ id: 'Project', description: 'A git repository with a manifest, and everything agents need to work in it.' })

export const GitConnection = z
  .object({
    connection_id: uuid,
    account_id: uuid,
    project_id: uuid,
    provider: z.string(),
    repo_url: z.string(),
    repo_owner: z.string().nullable(),
    repo_name: z.string().nullable(),
    external_repo_id: z.string().nullable(),
    default_branch: z.string(),
    auth_method: z.string(),
    installation_id: z.string().nullable(),
    visibility: z.string().nullable(),
    status: z.string(),
    last_validated_at: instant.nullable(),
    last_error_code: z.string().nullable(),
    last_error_message: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'GitConnection', description: 'Where a project’s repository lives and how the platform reaches it.' })

export const ProjectFile = z
  .object({ path: z.string(), type: z.literal('file'), size: z.number().int().nullable() })
  .meta({ id: 'ProjectFile', description: 'One file of a project’s repository.' })

const documented = z.object({ name: z.string(), path: z.string(), description: z.string().nullable() })

export const ProjectConfig = z
  .object({
    is_svc_repo: z.boolean(),
    signals: z.record(z.string(), z.boolean()),
    manifest_raw: z.string().nullable(),
    manifest: z.record(z.string(), z.unknown()),
    default_agent: z.string().nullable(),
    agent_discovery: z.enum(['opencode', 'declarative']).nullable(),
    agents: z.array(
      documented.extend({
        mode: z.string().nullable(),
        source: z.enum(['opencode', 'svc.yaml']),
        enabled: z.boolean().optional(),
        sandbox: z.string().nullable().optional(),
        scope: z.object({ env: grant, connectors: grant, svc_cli: grant }).optional(),
      }),
    ),
    skills: z.array(documented),
    commands: z.array(documented),
    env: z.object({ required: z.array(z.string()), optional: z.array(z.string()) }),
  })
  .meta({ id: 'ProjectConfig', description: 'What the repository declares, as the platform reads it.' })

export const ManifestVersion = z
  .object({
    version: z.number().int().nullable(),
    latest_version: z.number().int(),
    migration_offered: z.boolean(),
    target_version: z.number().int().nullable(),
    unknown_reason: z.enum(['unreadable', 'unparsable', 'undeclared', 'restricted']).nullable(),
    path: z.string().nullable(),
  })
  .meta({
    id: 'ManifestVersion',
    description: 'Which version the manifest declares, and whether a newer one is offered.',
  })

export const ProjectDetail = z
  .object({
    project: Project,
    git_connection: GitConnection.nullable(),
    config: ProjectConfig,
    manifest_version: ManifestVersion,
    file_count: z.number().int(),
    files: z.array(ProjectFile),
  })
  .meta({ id: 'ProjectDetail', description: 'A project with what its repository declares and its first files.' })

export const ManifestIssue = z
  .object({
    path: z.string(),
    message: z.string(),
    severity: z.enum(['error', 'warning']),
    line: z.number().int().optional(),
    column: z.number().int().optional(),
  })
  .meta({ id: 'ManifestIssue', description: 'One thing that is wrong in a manifest, and where.' })

export const list = operation({
  id: 'projects.list',
  at: 'GET /v1/projects',
  summary: 'List the active projects the caller may read, most recently changed first',
  needs: 'signed-in',
  audit: 'request',
  query: z.object({ account_id: uuid.optional(), cursor: cursor.optional() }),
  returns: z.array(Project),
})

export const get = operation({
  id: 'projects.get',
  at: `GET ${at}`,
  summary: 'Read a project',
  needs: 'project.read',
  audit: 'request',
  returns: Project,
})

export const detail = operation({
  id: 'projects.detail',
  at: `GET ${at}/detail`,
  summary: 'Read a project with its manifest, agents, skills and first files',
  description:
    'Never fails because of the repository: what cannot be read, or what the caller may not read, comes back empty, and `X-Svc-Repo-Status: unavailable` says when the repository could not be reached.',
  needs: 'project.read',
  audit: 'request',
  returns: ProjectDetail,
})

export const create = operation({
  id: 'projects.create',
  at: 'POST /v1/projects',
  summary: 'Make a project from a repository that lives elsewhere',
  needs: 'project.create',
  audit: 'project.create',
  body: z.object({
    repo_url: z.string().min(1).max(2000),
    account_id: uuid.optional(),
    name: z.string().trim().min(1).max(120).optional(),
    default_branch: branch.optional(),
    manifest_path: manifestPath.optional(),
    installation_id: z.string().max(100).optional(),
    git_token: z.string().min(1).max(4096).optional(),
  }),
  returns: Project,
  status: 201,
  deadlineMs: 120_000,
  errors: ['invalid_repository', 'project_limit_reached', 'installation_required', 'github_unavailable'],
})

/** Templates a new repository can begin with. */
export const StarterTemplate = z.enum(['general', 'minimal'])

export const createRepo = operation({
  id: 'projects.createRepo',
  at: 'POST /v1/projects/create-repo',
  summary: 'Make a project on a new repository with a name of your choice',
  description: 'Empty unless a starter is named. A taken name gets a number: `name-2` and so on.',
  needs: 'project.create',
  audit: 'project.create',
  body: z.object({
    name: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[A-Za-z0-9._-]+$/, 'may hold letters, digits, dot, dash and underscore'),
    account_id: uuid.optional(),
    installation_id: z.string().max(100).optional(),
    private: z.boolean().optional(),
    description: z.string().max(2000).optional(),
    starter_template: StarterTemplate.optional(),
    source_item_id: z.string().max(300).optional(),
  }),
  returns: Project,
  status: 201,
  deadlineMs: 120_000,
  errors: [
    'project_limit_reached',
    'name_taken',
    'invalid_request',
    'installation_required',
    'seed_push_failed',
    'seed_verification_failed',
    'github_unavailable',
    'feature_not_supported',
  ],
})

export const idempotencyKeyPattern = /^[A-Za-z0-9._:-]{1,200}$/

export const ProvisionInput = z
  .object({
    name: z
      .string()
      .min(1)
      .max(120)
      .regex(/^[a-zA-Z0-9._ -]+$/, 'may hold letters, digits, dot, dash, underscore and space'),
    account_id: uuid.optional(),
    seed_starter: z.boolean().optional(),
    starter_template: StarterTemplate.optional(),
    marketplace_items: z.array(z.string().max(300)).max(100).optional(),
    source_item_id: z.string().max(300).optional(),
    default_branch: branch.optional(),
    idempotency_key: z.string().optional(),
  })
  .meta({ id: 'ProvisionInput', description: 'What a new project begins with.' })

export const provision = operation({
  id: 'projects.provision',
  at: 'POST /v1/projects/provision',
  summary: 'Make a project on a new managed repository, seeded from a starter',
  description:
    'With `idempotency_key`, repeats answer 201 with the first project and no push token, whatever else they say; a repeat while the first call runs answers 409 `provision_in_flight`.',
  needs: 'project.create',
  audit: 'project.provision',
  // A repeat is recognised by its key alone: the rest of it is not even looked at.
  body: z.union([ProvisionInput, z.looseObject({ idempotency_key: z.string() })], {
    error: (issue) => (issue.code === 'invalid_union' ? describeFirst(issue.errors?.[0]) : undefined),
  }),
  returns: Project.extend({
    push_token: z.string().nullable(),
    git_username: z.string().nullable(),
    repo_id: z.string().nullable(),
    seeded: z.boolean(),
  }),
  status: 201,
  deadlineMs: 120_000,
  errors: [
    'provision_in_flight',
    'project_limit_reached',
    'seed_push_failed',
    'seed_verification_failed',
    'feature_not_supported',
  ],
})

export const update = operation({
  id: 'projects.update',
  at: `PATCH ${at}`,
  summary: 'Change a project’s name, default branch or manifest path',
  description: 'Absent and empty fields are left alone.',
  needs: 'project.customize.write',
  audit: 'project.update',
  body: z.object({
    name: z.string().trim().max(120).optional(),
    default_branch: z.union([branch, z.literal('')]).optional(),
    manifest_path: z.union([manifestPath, z.literal('')]).optional(),
  }),
  returns: Project,
  errors: ['invalid_ref'],
})

export const archive = operation({
  id: 'projects.archive',
  at: `DELETE ${at}`,
  summary: 'Archive a project; with `purge`, delete its managed repository too',
  needs: 'project.delete',
  audit: 'project.archive',
  query: z.object({ purge: queryFlag.optional() }),
  returns: z.object({ ok: z.literal(true), archived: z.literal(true), repo_deleted: z.boolean() }),
  errors: ['purge_failed'],
})

export const onboardingComplete = operation({
  id: 'project.onboardingComplete',
  at: `PATCH ${at}/onboarding`,
  summary: 'Note that onboarding is complete, or that it is not',
  needs: 'project.write',
  audit: 'project.onboarding',
  body: z.object({ completed: z.boolean() }),
  returns: Project,
})

export const validateManifest = operation({
  id: 'project.validateManifest',
  at: `POST ${at}/manifest/validate`,
  summary: 'Check a manifest without writing it',
  description: 'An invalid manifest is an answer, not an error: 200 with `valid: false` and the issues.',
  needs: 'project.read',
  audit: 'request',
  body: z.object({ raw: z.string(), format: z.enum(['yaml', 'toml']).optional() }),
  returns: z.object({ valid: z.boolean(), issues: z.array(ManifestIssue) }),
  idempotent: false,
})

export const gitToken = operation({
  id: 'project.gitToken',
  at: `POST ${at}/git-token`,
  summary: 'Mint a token that reads and pushes this project’s repository and does nothing else',
  needs: 'project.gitops.push',
  audit: 'project.git_token',
  returns: z.object({
    push_token: z.string(),
    git_username: z.string(),
    repo_id: z.string().nullable(),
    repo_url: z.string().nullable(),
  }),
  errors: ['bring_your_own_repository'],
})

export const cloneCredential = operation({
  id: 'gitHosting.cloneCredential',
  at: `GET ${at}/git/clone-credential`,
  summary: 'Tell an agent’s session where to clone, and with what',
  description:
    'For session tokens only. Always the platform’s own address: what opens a repository elsewhere stays on the server. The token does in the repository what the session may do there, and nothing else.',
  needs: 'project.gitops.read',
  audit: 'project.clone_credential',
  returns: z.object({
    repo_url: z.string(),
    auth: z.object({ username: z.string(), token: z.string(), type: z.literal('basic') }).nullable(),
    source: z.enum(['managed', 'remote']),
    expires_at: instant.nullable(),
  }),
  errors: ['session_agent_token_required'],
})

const scopeList = z.array(z.string().min(1).max(200)).max(500)
const scopeGrant = z.union([z.literal('all'), scopeList])
const manifestWrite = ['manifest_read', 'concurrent_edit', 'repository_unavailable'] as const

export const setAgentScope = operation({
  id: 'project.setAgentScope',
  at: `PUT ${at}/agents/:agentName/scope`,
  summary: 'Set which secrets and connectors an agent may use, in the manifest',
  needs: 'project.agent.write',
  audit: 'project.agent_scope',
  body: z.object({
    env: scopeGrant.optional(),
    connectors: scopeGrant.optional(),
    connectors_required: scopeList.optional(),
    connectors_personal: scopeList.optional(),
  }),
  returns: z.object({
    ok: z.literal(true),
    agent: z.string(),
    env: grant,
    connectors: grant,
    connectors_required: z.array(z.string()),
  }),
  errors: [...manifestWrite, 'nothing_to_update', 'invalid_scope', 'unsupported_in_v1', 'agent_not_found'],
})

export const setDefaultAgent = operation({
  id: 'project.setDefaultAgent',
  at: `PUT ${at}/default-agent`,
  summary: 'Choose the agent that new sessions use, in the manifest',
  needs: 'project.customize.write',
  audit: 'project.default_agent',
  body: z.object({ agent: z.string().min(1).max(128) }),
  returns: z.object({ ok: z.literal(true), default_agent: z.string() }),
  errors: [...manifestWrite, 'invalid_config'],
})

const featureChange = z.object({
  feature: z.enum(featureFlagKeys),
  enabled: z.boolean().nullable(),
})

export const updateFeatureFlag = operation({
  id: 'project.updateFeatureFlag',
  at: `PATCH ${at}/features`,
  summary: 'Turn a feature on or off for a project; null returns it to the platform’s default',
  needs: 'project.customize.write',
  audit: 'project.feature',
  body: featureChange,
  returns: Project,
})

export const updateExperimentalFeature = operation({
  id: 'project.updateExperimentalFeature',
  at: `PATCH ${at}/experimental`,
  summary: 'Deprecated spelling of the feature route',
  needs: 'project.customize.write',
  audit: 'project.feature',
  body: featureChange,
  returns: Project,
})

/** Of the fuller shape's issues, the first: what somebody who meant to make a project got wrong. */
function describeFirst(issues: readonly { path: PropertyKey[]; message: string }[] | undefined): string | undefined {
  const first = issues?.[0]
  return first && `${first.path.map(String).join('.')} ${first.message}`.trim()
}
