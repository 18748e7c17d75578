// Generated from packages/contract by `npm run generate`. Do not edit.

/** A member of the account and where their access to a project comes from. */
export type AccessMember = {
  user_id: string
  email?: string | undefined
  account_role: "owner" | "admin" | "member"
  project_role: "manager" | "member" | null
  effective_project_role: "manager" | "member" | null
  has_implicit_access: boolean
  effective_source: "implicit" | "direct" | "group" | null
  group_sources: {
    group_id: string
    group_name: string
    role: "manager" | "member"
  }[]
  joined_at: string
  granted_by: string | null
  granted_at: string | null
  updated_at: string | null
  expires_at: string | null
  custom_role_policies: {
    assignment_id: string
    role_id: string
    role_key: string
    role_name: string
    scope_type: "account" | "project"
    expires_at: string | null
  }[]
  resource_grants: ResourceGrant[]
}

/** Somebody who asks for access to a project. */
export type AccessRequest = {
  request_id: string
  account_id: string
  project_id: string
  requester_user_id: string
  requester_email: string
  message: string | null
  status: "pending" | "approved" | "rejected"
  reviewed_by: string | null
  reviewed_at: string | null
  created_at: string
  updated_at: string
}

/** Projects, people and keys that belong together. */
export type Account = {
  account_id: string
  name: string
  slug: string
  created_at: string
  updated_at: string
  account_role?: "owner" | "admin" | "member" | undefined
  is_primary_owner?: boolean | undefined
  branding?: Branding | null | undefined
}

/** One account, with how many people and active projects it has. */
export type AccountDetail = {
  account_id: string
  name: string
  member_count: number
  project_count: number
  role: "owner" | "admin" | "member"
  branding: Branding | null
  created_at: string
  updated_at: string
}

/** One principal, one role, one scope, at most one object. */
export type Assignment = {
  assignment_id: string
  account_id: string
  principal_type: "user" | "group" | "service_account" | "pending"
  principal_id: string
  role_id: string
  role_key: string
  role_is_system: boolean
  scope_type: "account" | "project"
  scope_id: string | null
  object_type: "agent" | "skill" | "secret" | "app" | "trigger" | null
  object_id: string | null
  expires_at: string | null
  granted_by: string | null
  source: "manual" | "scim" | "sso" | "invite" | "system"
  created_at: string
  updated_at: string
}

/** One thing that happened. Holds no body, prompt, secret or credential. */
export type AuditEvent = {
  event_id: string
  occurred_at: string
  sequence: number
  previous_hash: string
  hash: string
  account_id: string | null
  project_id: string | null
  session_id: string | null
  actor_user_id: string | null
  actor_type: string | null
  agent_id: string | null
  agent_name: string | null
  initiator_actor_type: string | null
  initiator_actor_id: string | null
  source: string | null
  client_reported_source: string | null
  outcome: string | null
  action: string | null
  phase: string | null
  resource_type: string | null
  resource_id: string | null
  http_status: number | null
  duration_ms: number | null
  request_id: string | null
  trace_id: string | null
  correlation_id: string | null
  causation_id: string | null
  parent_event_id: string | null
  delegation_depth: number | null
  turn_id: string | null
  message_id: string | null
  tool_call_id: string | null
  execution_id: string | null
  session_sequence: number | null
  input_summary: unknown
  output_summary: unknown
  input_sha256: string | null
  output_sha256: string | null
  error_code: string | null
  before: unknown
  after: unknown
  ip: string | null
  user_agent: string | null
  metadata: Record<string, unknown>
}

/** A public key that checkpoints of exports are signed with. */
export type AuditKey = {
  key_id: string
  algorithm: "ed25519"
  public_key: string
  current: boolean
  created_at: string
}

/** An address that audit events are pushed to (Standard Webhooks). */
export type AuditWebhook = {
  webhook_id: string
  name: string
  url: string
  enabled: boolean
  action_prefix: string | null
  last_delivered_at: string | null
  last_error_at: string | null
  last_error: string | null
  created_at: string
  updated_at: string
}

/** A sign-in session: a bearer token and the token that renews it. */
export type AuthSession = {
  access_token: string
  refresh_token: string
  token_type: "bearer"
  expires_in: number
  expires_at: number
}

/** A person who can sign in. */
export type AuthUser = {
  id: string
  email: string | null
  email_confirmed_at: string | null
  created_at: string
  last_sign_in_at: string | null
  app_metadata: Record<string, unknown>
  user_metadata: Record<string, unknown>
}

/** A branch and how far it is from the default branch. */
export type Branch = {
  name: string
  is_default: boolean
  tip: string
  tip_short: string
  subject: string
  committer_name: string
  committer_email: string
  committed_at: string
  ahead: number | null
  behind: number | null
}

/** An account’s own name and pictures for the product. */
export type Branding = {
  app_name: string | null
  logo_url: string | null
  icon_url: string | null
  favicon_url: string | null
  logo_dark_url: string | null
  icon_dark_url: string | null
  favicon_dark_url: string | null
}

/** Who a credential stands for and what it is bound to. */
export type CallerIdentity = {
  user_id: string
  email: string
  token_context: {
    auth_type: "session" | "pat" | "oauth" | "service_account" | "api_key"
    project_id: string | null
    session_id: string | null
    agent: string | null
    connectors: "all" | string[] | null
    svc_cli: "all" | string[] | null
    env: "all" | string[] | null
  }
  accounts: {
    account_id: string
    slug: string
    name: string
    role: "owner" | "admin" | "member"
  }[]
}

/** What came of a refresh of the model catalog. */
export type CatalogRefresh = {
  at: string
  ok: boolean
  problem: string | null
  added: number
  changed: number
  repriced: number
  gone: number
  left_out: number
  left_out_entries: {
    entry: string
    reason: string
  }[]
}

/** A branch that asks to be merged. */
export type ChangeRequest = {
  cr_id: string
  account_id: string
  project_id: string
  number: number
  title: string
  description: string
  base_ref: string
  head_ref: string
  status: "open" | "merged" | "closed"
  head_commit_sha: string | null
  base_commit_sha: string | null
  origin_session_id: string | null
  created_by: string
  merged_at: string | null
  merged_by: string | null
  merge_commit_sha: string | null
  closed_at: string | null
  closed_by: string | null
  metadata: Record<string, unknown>
  created_at: string
  updated_at: string
}

/** One commit. */
export type Commit = {
  hash: string
  short_hash: string
  parents: string[]
  author_name: string
  author_email: string
  authored_at: string
  committer_name: string
  committer_email: string
  committed_at: string
  subject: string
  body: string
}

/** One file that a commit or a change request changes. */
export type CommitFile = {
  path: string
  old_path: string | null
  status: "added" | "modified" | "deleted" | "renamed" | "copied" | "typechange"
  additions: number
  deletions: number
}

/** What a session is made from. Everything may be left out. */
export type CreateSessionInput = {
  session_id?: string | undefined
  agent_name?: string | undefined
  base_ref?: string | undefined
  sandbox_slug?: string | undefined
  provider?: string | undefined
  opencode_model?: string | undefined
  initial_prompt?: string | undefined
  pending_prompt?: {
    text: string
    agent?: string | undefined
    model?: {
      providerID: string
      modelID: string
    } | undefined
    variant?: string | undefined
    attachment_names?: string[] | undefined
    parts?: PromptPart[] | undefined
  } | undefined
  title_source?: string | undefined
  name?: string | undefined
  metadata?: Record<string, unknown> | undefined
  runtime_context?: Record<string, string | number | boolean | null> | undefined
  connector_bindings?: Record<string, {
      connection_id: string
    }> | undefined
  inherit_unbound?: boolean | undefined
  require_connectors?: string[] | undefined
  secrets?: string[] | undefined
  branch_already_created?: boolean | undefined
}

/** A job that used up its attempts and waits for a decision. */
export type DeadJob = {
  job_id: string
  name: string
  attempts: number
  last_error: string | null
  created_at: string
  failed_at: string
}

/** How a change reached the sandboxes that run. */
export type DeliverySync = {
  ok: boolean
  targeted: number
  synced: number
  failed: number
  failures: {
    session_id: string
    sandbox_id: string | null
    reason: string
  }[]
}

/** Connections of one session to one place within a second. */
export type EgressLogEntry = {
  entry_id: string
  session_id: string
  host: string
  port: number
  outcome: string
  connections: number
  bytes_in: number
  bytes_out: number
  started_at: string
  ended_at: string
}

/** Towards which hosts a secret may be used. The first rule that fits wins. */
export type EgressPolicy = {
  rules: {
    host: string
    methods?: ("GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS")[] | undefined
    path?: string | undefined
    inject?: {
      kind: "header"
      name: string
      template?: string | undefined
    } | {
      kind: "query"
      name: string
    } | {
      kind: "json_body_field"
      path: string
    } | undefined
  }[]
  inject?: {
    kind: "header"
    name: string
    template?: string | undefined
  } | {
    kind: "query"
    name: string
  } | {
    kind: "json_body_field"
    path: string
  } | undefined
  backend?: "svc_fetch" | "llm_gateway" | "connector" | "git_proxy" | undefined
  base_url_env?: string | undefined
  on_no_match?: "deny" | undefined
  tls?: "terminate" | "tunnel" | undefined
}

/** Where a project’s sandboxes may connect to. */
export type EgressRules = {
  mode: "public" | "listed"
  allow: string[] | null
  updated_at: string | null
}

/** One switch of a project and how it stands. */
export type FeatureFlag = {
  key: string
  name: string
  description: string
  stability: "experimental" | "beta" | "stable"
  available: boolean
  enabled: boolean
  overridden: boolean
}

/** What may be spent in a calendar period, and by whom. */
export type GatewayBudget = {
  budget_id: string
  scope: "project" | "member" | "agent" | "session" | "key"
  subject_user_id: string | null
  subject_id: string | null
  limit_usd: number
  period: "day" | "week" | "month"
  action: "block" | "warn"
  spent_usd: number
}

/** One call of a model. Costs are USD. */
export type GatewayLog = {
  log_id: string
  request_id: string
  created_at: string
  requested_model: string
  resolved_model: string
  provider: string
  status: number
  ok: boolean
  error_code: string | null
  error_message: string | null
  latency_ms: number
  first_token_ms: number | null
  attempts: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  cache_write_tokens: number
  svc_cost: number
  provider_cost: number
  total_cost: number
  price_version: string | null
  streaming: boolean
  billing_mode: "credits" | "platform-fee" | "none" | null
  actor_user_id: string | null
  key_id: string | null
  session_id: string | null
}

/** For how many days prompts and answers are kept; null: not at all. */
export type GatewayRetention = {
  prompt_days: number | null
}

/** Where a project’s repository lives and how the platform reaches it. */
export type GitConnection = {
  connection_id: string
  account_id: string
  project_id: string
  provider: string
  repo_url: string
  repo_owner: string | null
  repo_name: string | null
  external_repo_id: string | null
  default_branch: string
  auth_method: string
  installation_id: string | null
  visibility: string | null
  status: string
  last_validated_at: string | null
  last_error_code: string | null
  last_error_message: string | null
  metadata: Record<string, unknown>
  created_at: string
  updated_at: string
}

/** The installation used when none is named, with all of the account’s. */
export type GithubInstallations = {
  account_id: string
  installation_row_id: string | null
  installed: boolean
  configured: boolean
  requires_installation: boolean
  install_url: string | null
  installation_id: string | null
  owner_login: string | null
  owner_type: string | null
  repository_selection: string | null
  permissions: Record<string, string>
  installation_url: string | null
  updated_at: string | null
  installations: GithubInstallationStatus[]
}

/** Whether the GitHub app of this instance is installed for an account, and where. */
export type GithubInstallationStatus = {
  account_id: string
  installation_row_id: string | null
  installed: boolean
  configured: boolean
  requires_installation: boolean
  install_url: string | null
  installation_id: string | null
  owner_login: string | null
  owner_type: string | null
  repository_selection: string | null
  permissions: Record<string, string>
  installation_url: string | null
  updated_at: string | null
}

/** A repository at GitHub that an installation reaches. */
export type GithubRepository = {
  id: number
  name: string
  full_name: string
  private: boolean
  html_url: string
  clone_url: string
  ssh_url: string
  default_branch: string
  description: string | null
}

/** People who are assigned roles together. */
export type Group = {
  group_id: string
  name: string
  description: string | null
  source: "manual" | "scim"
  member_count: number
  project_count: number
  created_at: string
  updated_at: string
}

/** The role a group gives its members in a project. */
export type GroupGrant = {
  group_id: string
  group_name: string
  role: "manager" | "member"
  granted_by: string | null
  created_at: string
  expires_at: string | null
  member_count: number
  override_count: number
}

/** Whether the platform runs, takes work, and how each part is. */
export type Health = {
  status: "ok" | "starting" | "degraded"
  live: boolean
  ready: boolean
  version: string
  uptime_seconds: number
  parts: Record<string, "ok" | "down">
  details: Part[]
}

/** What the operator decides for the whole instance. */
export type InstanceSettings = {
  sign_up: "open" | "invitation" | "closed"
  email_confirmation: "auto" | "on" | "off"
  redirect_allow_list: string[]
  entitlements: ("rbac" | "auditAccess" | "branding")[]
  account_creation: "everyone" | "operators"
  is_claimed: boolean
}

/** An invitation that nobody has accepted yet. */
export type Invite = {
  invite_id: string
  email: string
  initial_role: "admin" | "member"
  invited_by: string | null
  created_at: string
  expires_at: string
  invite_url: string
}

/** What an invitation offers. To anybody but its addressee it tells only its state. */
export type InviteDescription = {
  invite_id: string
  account_id: string | null
  account_name: string | null
  email: string | null
  initial_role: "owner" | "admin" | "member" | null
  inviter_email: string | null
  created_at: string | null
  expires_at: string | null
  expired: boolean
  accepted_at: string | null
  email_matches_caller: boolean
}

/** How many jobs of one name are in which state. */
export type JobCounts = {
  name: string
  ready: number
  scheduled: number
  retrying: number
  running: number
  dead: number
}

/** A mail in the local mailbox. */
export type KeptMail = {
  mail_id: string
  to: string
  subject: string
  text: string
  created_at: string
}

/** One thing that is wrong in a manifest, and where. */
export type ManifestIssue = {
  path: string
  message: string
  severity: "error" | "warning"
  line?: number | undefined
  column?: number | undefined
}

/** Which version the manifest declares, and whether a newer one is offered. */
export type ManifestVersion = {
  version: number | null
  latest_version: number
  migration_offered: boolean
  target_version: number | null
  unknown_reason: "unreadable" | "unparsable" | "undeclared" | "restricted" | null
  path: string | null
}

/** Somebody who belongs to an account. */
export type Member = {
  user_id: string
  email: string | null
  account_role: "owner" | "admin" | "member"
  explicit_project_count: number
  projects: {
    project_id: string
    name: string
    role: "manager" | "member"
  }[]
  groups: {
    group_id: string
    name: string
  }[]
  active_pat_count: number
  joined_at: string
}

/** Which providers and models a project has switched off. */
export type ModelAccess = {
  disabledProviders: string[]
  disabledModels: string[]
  defaultModel?: string | undefined
  enforced: boolean
}

/** Where limits and prices of models come from, and how fresh they are. */
export type ModelCatalog = {
  source: string
  schedule: "off" | "daily"
  bundled: string
  providers: number
  models: number
  refreshed_at: string | null
  last_refresh: CatalogRefresh | null
}

/** One model: what it can do, its limits, its price in USD per million tokens. */
export type ModelInfo = {
  name: string
  provider?: string | undefined
  description?: string | undefined
  free?: boolean | undefined
  tool_call?: boolean | undefined
  reasoning?: boolean | undefined
  attachment?: boolean | undefined
  temperature?: boolean | undefined
  structured_output?: boolean | undefined
  limit?: {
    context: number
    input?: number | undefined
    output: number
  } | undefined
  cost?: {
    input: number
    output: number
    cache_read: number
    cache_write: number
    tiers?: {
      input: number
      output: number
      cache_read: number
      cache_write: number
      tier: {
        type: "context"
        size: number
      }
    }[] | undefined
  } | undefined
  modalities?: {
    input: string[]
    output: string[]
  } | undefined
  reasoning_options?: {
    type: string
    values?: string[] | undefined
    min?: number | undefined
    max?: number | undefined
  }[] | undefined
  family?: string | undefined
  release_date?: string | undefined
  last_updated?: string | undefined
  knowledge?: string | undefined
  open_weights?: boolean | undefined
}

/** A third-party app that signs people in with their accounts here. */
export type OAuthClient = {
  client_id: string
  name: string
  description: string | null
  client_type: "confidential" | "public"
  redirect_uris: string[]
  scopes: string[]
  active: boolean
  created_at: string
  updated_at: string
}

/** An OAuth client and its new secret. */
export type OAuthClientWithSecret = {
  client_id: string
  name: string
  description: string | null
  client_type: "confidential" | "public"
  redirect_uris: string[]
  scopes: string[]
  active: boolean
  created_at: string
  updated_at: string
  client_secret: string | null
}

/** An app that asks to act for the signed-in person. */
export type OAuthConsentRequest = {
  client_id: string
  client_name: string
  client_type: "confidential" | "public"
  scope: string
  scopes: string[]
  remembered: boolean
  redirect_to: string
}

/** What an OAuth client needs to know of this server (RFC 8414). */
export type OAuthServer = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  revocation_endpoint: string
  userinfo_endpoint: string
  scopes_supported: string[]
  response_types_supported: string[]
  grant_types_supported: string[]
  token_endpoint_auth_methods_supported: string[]
  code_challenge_methods_supported: string[]
}

/** An access token and the token that renews it. */
export type OAuthTokens = {
  access_token: string
  refresh_token: string
  token_type: "Bearer"
  expires_in: number
  scope: string
}

/** A machine of this instance. Without a session it waits in the warm pool. What it uses is null unless it runs. */
export type OperatorSandbox = {
  sandbox_id: string
  provider: string
  template: string
  status: "provisioning" | "active" | "stopped" | "error"
  status_detail: string | null
  session_id: string | null
  project_id: string | null
  project_name: string | null
  account_id: string | null
  cpu: number
  memory_limit_bytes: number
  memory_bytes: number | null
  processes: number | null
  created_at: string
  started_at: string | null
  last_used_at: string | null
}

/** Somebody who has signed up, as the operator sees them. */
export type OperatorUser = {
  user_id: string
  email: string
  is_operator: boolean
  email_confirmed_at: string | null
  created_at: string
  last_sign_in_at: string | null
  account_count: number
}

/** One part of the platform, how it is and what to do about it. */
export type Part = {
  name: string
  status: "ok" | "degraded" | "down" | "missing"
  detail?: string | undefined
  next?: string | undefined
}

/** One row of the permission catalog. */
export type Permission = {
  action: string
  scope_type: "account" | "project"
  resource_type: "account" | "project"
  delegable: boolean
  description: string
  area: string
  level: "view" | "edit" | "admin"
  implies: string[]
}

/** A git repository with a manifest, and everything agents need to work in it. */
export type Project = {
  project_id: string
  account_id: string
  name: string
  repo_url: string
  git_origin_url: string
  default_branch: string
  manifest_path: string
  status: "active" | "archived"
  metadata: Record<string, unknown>
  last_opened_at: string | null
  created_at: string
  updated_at: string
  project_role: "manager" | "member" | null
  effective_project_role: "manager" | "member" | null
  dashboard_url: string
  experimental: Record<string, boolean>
  experimental_features: FeatureFlag[]
  default_sandbox_provider: string | null
  available_sandbox_providers: string[]
}

/** What the repository declares, as the platform reads it. */
export type ProjectConfig = {
  is_svc_repo: boolean
  signals: Record<string, boolean>
  manifest_raw: string | null
  manifest: Record<string, unknown>
  default_agent: string | null
  agent_discovery: "opencode" | "declarative" | null
  agents: {
    name: string
    path: string
    description: string | null
    mode: string | null
    source: "opencode" | "svc.yaml"
    enabled?: boolean | undefined
    sandbox?: string | null | undefined
    scope?: {
      env: "all" | string[]
      connectors: "all" | string[]
      svc_cli: "all" | string[]
    } | undefined
  }[]
  skills: {
    name: string
    path: string
    description: string | null
  }[]
  commands: {
    name: string
    path: string
    description: string | null
  }[]
  env: {
    required: string[]
    optional: string[]
  }
}

/** A project with what its repository declares and its first files. */
export type ProjectDetail = {
  project: Project
  git_connection: GitConnection | null
  config: ProjectConfig
  manifest_version: ManifestVersion
  file_count: number
  files: ProjectFile[]
}

/** One file of a project’s repository. */
export type ProjectFile = {
  path: string
  type: "file"
  size: number | null
}

/** A project and the role somebody gets in it. */
export type ProjectGrant = {
  project_id: string
  role: "manager" | "member"
}

/** How somebody stands in a project. */
export type ProjectMember = {
  user_id: string
  email?: string | undefined
  account_role: "owner" | "admin" | "member"
  project_role: "manager" | "member" | null
  effective_project_role: "manager" | "member" | null
  has_implicit_access: boolean
}

/** An API key of a project, without its secret. */
export type ProjectToken = {
  token_id: string
  name: string
  public_key: string
  status: "active" | "revoked"
  expires_at: string | null
  last_used_at: string | null
  created_at: string
  revoked_at: string | null
}

/** A piece of a prompt: text, a file, an agent, a subtask. */
export type PromptPart = {
  type: "text" | "file" | "agent" | "subtask"
  [key: string]: unknown
}

/** A change of a project’s sandbox provider, as everybody may see it. */
export type ProviderTransition = {
  transition_id: string
  project_id: string
  status: "pending" | "building" | "ready" | "activating" | "activated" | "failed" | "superseded" | "cancelled"
  source_provider: string
  target_provider: string
  active_provider: string
  label: string
  generation: number
  error_class: string | null
  requested_at: string
  ready_at: string | null
  activated_at: string | null
  immediate: boolean
}

/** What a new project begins with. */
export type ProvisionInput = {
  name: string
  account_id?: string | undefined
  seed_starter?: boolean | undefined
  starter_template?: "general" | "minimal" | undefined
  marketplace_items?: string[] | undefined
  source_item_id?: string | undefined
  default_branch?: string | undefined
  idempotency_key?: string | undefined
}

/** A link that shows one preview or file of a session to anybody who has it. */
export type PublicShare = {
  share_id: string
  session_id: string
  project_id: string
  resource_type: "preview" | "file"
  label: string
  port: number | null
  path: string
  file_path: string | null
  mode: "view" | "interactive"
  allow_websocket: boolean
  expires_at: string | null
  revoked_at: string | null
  created_at: string
  updated_at: string
  public_token: string
  public_path: string
  proxy_path: string
  public_url: string | null
}

/** A session that starts when there is room for it. */
export type QueuedSession = {
  status: "queued"
  command_id: string | null
  session_id: string | null
  reason: string | null
}

/** Somebody who is named on one agent, skill, secret, app or trigger. */
export type ResourceGrant = {
  grant_id: string
  resource_type: "agent" | "skill" | "secret" | "app" | "trigger"
  resource_id: string
  principal_type: "member" | "group"
  principal_id: string
  principal_label: string
  granted_by: string | null
  created_at: string
  expires_at: string | null
  orphaned: boolean
}

/** A named set of permissions; system roles belong to every account. */
export type Role = {
  role_id: string
  key: string
  name: string
  description: string | null
  resource_type: "account" | "project"
  is_system: boolean
  account_id: string | null
}

/** A project’s routing policy and what comes of it. */
export type RoutingDocument = {
  version: 1
  project: RoutingPolicy
  effective: {
    defaultModel: string
    defaultModelSource: "project" | "account" | "platform"
    visionModel: string | null
    defaultFallback: {
      models: string[]
      fallbackOn: "transient" | "any-error"
    }
  }
  platform: {
    defaultModel: string
    visionModel: string | null
    defaultFallback: {
      models: string[]
      fallbackOn: "transient" | "any-error"
    }
  }
  capabilities: {
    write: boolean
  }
}

/** Which models answer for a project, and which take over. */
export type RoutingPolicy = {
  defaultModel: string | null
  visionModel: string | null
  defaultFallback: {
    models: string[]
    fallbackOn: "transient" | "any-error"
  } | null
  rules: {
    model: string
    fallbackModels: string[]
    fallbackOn: "transient" | "any-error"
  }[]
  modelGenerationConfig: Record<string, {
      reasoningEffort?: string | undefined
      temperature?: number | undefined
      topP?: number | undefined
      maxOutputTokens?: number | undefined
    }>
}

/** One attempt to build a template’s image. */
export type SandboxBuild = {
  build_id: string
  slug: string
  template_slug: string
  snapshot_name: string
  content_hash: string
  status: "building" | "ready" | "failed"
  error: string | null
  error_category: "quota" | "dockerfile" | "layer" | "tunnel" | "provider" | "timeout" | "runtime" | "git" | "unknown" | null
  fixable_by_agent: boolean
  source: "session-start" | "project-create" | "cr-merge" | "manual" | "background" | "startup" | null
  provider: string | null
  started_at: string
  finished_at: string | null
}

/** How a template stands with one provider. */
export type SandboxCoverage = {
  provider: string
  available: boolean
  snapshot_name: string
  state: string | null
  status: "ready" | "building" | "failed" | "not_built" | "unavailable" | "unknown"
  launch_ready: boolean
  observed_at: string | null
}

/** A link that opens one port of a sandbox until it expires. */
export type SandboxShare = {
  url: string
  port: number
  token: string
  expiresAt: string
  label?: string | undefined
}

/** How sandboxes of the project stand now, as the providers see it. */
export type SandboxStatus = {
  state: "ready" | "building" | "not_built" | "degraded" | "blocked" | "unknown"
  snapshot_name: string | null
  current_failure: SandboxBuild | null
  stale_failure: SandboxBuild | null
  stale_reason: "superseded" | "recovered" | "retrying" | null
  ready_providers: string[]
  building_providers: string[]
  failed_providers: string[]
  fix_with_agent_available: boolean
}

/** What a sandbox is made from, and whether it is built. */
export type SandboxTemplate = {
  template_id: string | null
  slug: string
  name: string
  is_default: boolean
  source: "platform" | "toml" | "ui"
  provider: string
  has_dockerfile: boolean
  has_image: boolean
  image: string | null
  dockerfile_path: string | null
  entrypoint: string | null
  cpu: number
  memory_gb: number
  disk_gb: number
  snapshot_name: string
  content_hash: string
  built_from_commit: string | null
  provider_state: string
  ready: boolean
  provider_coverage?: SandboxCoverage[] | undefined
}

/** A template beside those of the manifest. */
export type SandboxTemplateInput = {
  slug: string
  name?: string | undefined
  image?: string | undefined
  dockerfile_path?: string | undefined
  entrypoint?: string | undefined
  cpu?: number | undefined
  memory_gb?: number | undefined
  disk_gb?: number | undefined
}

/** The templates of a project. */
export type SandboxTemplateList = {
  items: SandboxTemplate[]
  default_slug: string | null
  provider_mode: "automatic" | "pinned"
  selected_provider: string | null
  warm_pool_available?: boolean | undefined
}

/** What is known about a secret. Its value is never shown. */
export type Secret = {
  identifier: string
  name: string
  project_id: string
  secret_id: string | null
  created_by: string | null
  created_at: string | null
  updated_at: string | null
  system: boolean
  readonly: boolean
  purpose: "git_auth" | null
  can_rotate: boolean
  managed_by: string | null
  configured: boolean
  mine: {
    active: boolean
    updated_at: string
  } | null
  effective_source: "mine" | "shared" | "none"
  can_manage_shared: boolean
  strategy: "runtime" | "egress" | "broker" | "denied"
  consumer: "sandbox" | "network" | "broker" | "llm_gateway" | "connector" | "git_proxy" | null
  delivery_status: "available" | "unavailable" | "disabled"
  delivery_blocked_reason: "no_agent_grant" | null
  network_boundary_available?: boolean | undefined
  egress_policy: EgressPolicy | null
  strategy_locked: boolean
  last_rotated_at: string | null
  requires_rotation: boolean
}

/** A principal of its own for automated callers. */
export type ServiceAccount = {
  service_account_id: string
  name: string
  description: string | null
  public_prefix: string
  status: "active" | "disabled"
  last_used_at: string | null
  expires_at: string | null
  created_at: string
  disabled_at: string | null
}

export type ServiceAccountWithSecret = {
  service_account_id: string
  name: string
  description: string | null
  public_prefix: string
  status: "active" | "disabled"
  last_used_at: string | null
  expires_at: string | null
  created_at: string
  disabled_at: string | null
  secret: string
}

/** An agent at work in a sandbox, on a branch of its own. */
export type Session = {
  session_id: string
  account_id: string
  project_id: string
  branch_name: string
  base_ref: string
  sandbox_provider: string
  sandbox_id: string | null
  sandbox_url: string | null
  opencode_session_id: string | null
  name: string | null
  custom_name: string | null
  agent_name: string
  status: "queued" | "branching" | "provisioning" | "running" | "stopped" | "failed" | "completed"
  error: string | null
  metadata: Record<string, unknown>
  opencode_sessions: {
    id: string
    title: string | null
    parent_id: string | null
    project_id: string | null
    created_at: number | null
    updated_at: number | null
    archived_at: number | null
  }[]
  created_by: string | null
  owner_email: string | null
  owner_name: string | null
  owner_type: "user" | "service_account" | "unknown" | null
  visibility: "private" | "project" | "restricted"
  sharing: SharingIntent
  origin: "user" | "trigger" | "schedule" | "backend" | "system"
  secrets_allowlist: string[] | null
  is_owner: boolean
  can_manage_sharing: boolean
  can_manage_lifecycle: boolean
  can_access: boolean
  runtime_status: "provisioning" | "active" | "stopped" | "error" | "archived" | null
  waiting_for: "question" | "permission" | null
  deleted_at: string | null
  deleted_by: string | null
  created_at: string
  updated_at: string
}

/** What a session has cost so far, in dollars. */
export type SessionCost = {
  session_id: string
  project_id: string
  project_name: string
  owner_id: string | null
  owner_type: string | null
  owner_name: string | null
  owner_email: string | null
  status: string
  created_at: string
  updated_at: string
  last_activity_at: string | null
  llm_cost: number
  llm_svc_cost: number
  llm_provider_cost: number
  compute_cost: number
  total_cost: number
  request_count: number
  error_count: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  cache_write_tokens: number
  model_count: number
  compute_seconds: number
}

/** One event of a session. `seq` rises by one with no hole. */
export type SessionEvent = {
  seq?: number | undefined
  type: string
  properties: Record<string, unknown>
}

/** Which secrets and connections a session may use. */
export type SessionScope = {
  secrets_allowlist: string[] | null
  required_connectors: string[]
  connector_bindings: Record<string, {
      connection_id: string
    }>
  connector_bindings_configured: boolean
  connector_bindings_inherit_unbound: boolean
  dropped_secrets: string[]
  added_secrets: string[]
  dropped_bindings: string[]
  retroactive: boolean
  applied_live?: boolean | undefined
  push_failed?: boolean | undefined
  detail: string
}

/** How far a session’s runtime has come. */
export type SessionStart = {
  stage: "provisioning" | "starting" | "ready" | "stopped" | "failed"
  agent_name: string
  retriable: boolean
  sandbox: {
    sandbox_id: string
    session_id: string
    project_id: string
    account_id: string
    provider: string
    external_id: string | null
    base_url: string | null
    status: "provisioning" | "active" | "stopped" | "error" | "archived"
    config: Record<string, unknown>
    metadata: Record<string, unknown>
    last_used_at: string | null
    created_at: string
    updated_at: string
  } | null
  opencode_session_id: string | null
  runtime_url?: string | null | undefined
  runtime_transport: "rest"
  failure?: {
    category: "provider-capacity" | "git-auth" | "invalid-secret-boundary-policy" | "sandbox-provider"
    message: string
    retryable: boolean
  } | null | undefined
  reason?: string | undefined
}

/** Who may open a session. */
export type SharingIntent = {
  mode: "project"
} | {
  mode: "private"
  ownerId?: string | undefined
} | {
  mode: "members"
  memberIds?: string[] | undefined
  groupIds?: string[] | undefined
}

/** A session and whose it is. */
export type SignedIn = {
  session: AuthSession
  user: AuthUser
}

/** A message of the conversation with its parts, as last known. */
export type StoredMessage = {
  info: Record<string, unknown>
  parts: Record<string, unknown>[]
}

/** A key, without its secret. */
export type Token = {
  token_id: string
  name: string
  project_id: string | null
  public_key: string
  status: "active" | "revoked"
  expires_at: string | null
  last_used_at: string | null
  created_at: string
  revoked_at: string | null
}

export type TokenWithSecret = {
  token_id: string
  name: string
  project_id: string | null
  public_key: string
  status: "active" | "revoked"
  expires_at: string | null
  created_at: string
  secret_key: string
}

/** The conversation in short: no tool inputs, no tool outputs. */
export type Transcript = {
  available: boolean
  reason: string | null
  opencode_session_id: string | null
  message_count: number
  messages: {
    role: string
    created: number | null
    completed: number | null
    text: string
    tools: {
      tool: string
      status: string | null
    }[]
    files: {
      filename: string | null
      mime: string | null
    }[]
    reasoning_omitted: boolean
    error?: {
      name?: string | undefined
      message?: string | undefined
    } | null | undefined
  }[]
}

/** May they, why, and which step, assignment and role decided. */
export type Verdict = {
  allowed: boolean
  reason: string
  decided_by: {
    step: "token_binding" | "acting_principal" | "project_binding" | "account_role" | "project_role" | "object_rule" | "agent_grant"
    assignment_id: string | null
    role_key: string | null
  }
}

export type WrittenSecret = {
  identifier: string
  name: string
  project_id: string
  secret_id: string | null
  created_by: string | null
  created_at: string | null
  updated_at: string | null
  system: boolean
  readonly: boolean
  purpose: "git_auth" | null
  can_rotate: boolean
  managed_by: string | null
  configured: boolean
  mine: {
    active: boolean
    updated_at: string
  } | null
  effective_source: "mine" | "shared" | "none"
  can_manage_shared: boolean
  strategy: "runtime" | "egress" | "broker" | "denied"
  consumer: "sandbox" | "network" | "broker" | "llm_gateway" | "connector" | "git_proxy" | null
  delivery_status: "available" | "unavailable" | "disabled"
  delivery_blocked_reason: "no_agent_grant" | null
  network_boundary_available?: boolean | undefined
  egress_policy: EgressPolicy | null
  strategy_locked: boolean
  last_rotated_at: string | null
  requires_rotation: boolean
  delivery_sync: DeliverySync | null
}

/** What each operation takes and gives. */
export interface Operations {
  "accountInvites.describe": {
    params: { inviteId: string }
    result: InviteDescription
  }
  "accountInvites.accept": {
    params: { inviteId: string }
    result: {
      account_id: string
      account_role: "owner" | "admin" | "member"
      already_accepted: boolean
      bootstrap_grants_applied: ProjectGrant[]
    }
  }
  "accountInvites.decline": {
    params: { inviteId: string }
    result: {
      ok: true
    }
  }
  "accounts.me": {
    result: CallerIdentity
  }
  "accounts.tokens.list": {
    query: {
      account_id?: string | undefined
      mine?: "0" | "1" | "" | "true" | "false" | undefined
      cursor?: string | undefined
    }
    result: Token[]
  }
  "accounts.tokens.create": {
    body: {
      name: string
      account_id?: string | undefined
      expires_at?: string | null | undefined
      project_id?: string | null | undefined
    }
    result: TokenWithSecret
  }
  "accounts.tokens.revoke": {
    params: { tokenId: string }
    query: {
      account_id?: string | undefined
    }
    result: {
      ok: true
    }
  }
  "accounts.list": {
    query: {
      cursor?: string | undefined
    }
    result: Account[]
  }
  "accounts.create": {
    body: {
      name: string
    }
    result: Account
  }
  "accounts.get": {
    params: { accountId: string }
    result: AccountDetail
  }
  "accounts.updateName": {
    params: { accountId: string }
    body: {
      name: string
    }
    result: Account
  }
  "accounts.leave": {
    params: { accountId: string }
    result: {
      ok: true
    }
  }
  "accounts.branding.get": {
    params: { accountId: string }
    result: {
      branding: Branding
      entitled: boolean
    }
  }
  "accounts.branding.update": {
    params: { accountId: string }
    body: {
      app_name: string | null
    }
    result: {
      branding: Branding
      entitled: boolean
    }
  }
  "accounts.branding.uploadAsset": {
    params: { accountId: string; kind: string }
    body: { file: Blob }
    result: {
      branding: Branding
      entitled: boolean
    }
  }
  "accounts.branding.removeAsset": {
    params: { accountId: string; kind: string }
    result: {
      branding: Branding
      entitled: boolean
    }
  }
  "accounts.branding.reset": {
    params: { accountId: string }
    result: {
      branding: Branding
      entitled: boolean
    }
  }
  "accounts.branding.file": {
    params: { accountId: string; file: string }
    result: Blob
  }
  "accounts.members": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: Member[]
  }
  "accounts.invite": {
    params: { accountId: string }
    body: {
      email: string
      role?: "admin" | "member" | undefined
      project_grants?: {
        project_id: string
        role?: "manager" | "member" | undefined
      }[] | undefined
    }
    result: {
      status: "added"
      user_id: string
      email: string
      account_role: "owner" | "admin" | "member"
      project_grants: ProjectGrant[]
    } | {
      status: "pending"
      invite_id: string
      email: string
      account_role: "admin" | "member"
      project_grants: ProjectGrant[]
      expires_at: string
      invite_url: string
      email_sent: boolean
      email_skip_reason: "email_not_configured" | null
    }
  }
  "accounts.updateMemberRole": {
    params: { accountId: string; userId: string }
    body: {
      role: "owner" | "admin" | "member"
    }
    result: {
      user_id: string
      account_role: "owner" | "admin" | "member"
      unchanged?: true | undefined
    }
  }
  "accounts.removeMember": {
    params: { accountId: string; userId: string }
    result: {
      ok: true
    }
  }
  "accounts.invites": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: Invite[]
  }
  "accounts.cancelInvite": {
    params: { accountId: string; inviteId: string }
    result: {
      ok: true
    }
  }
  "accounts.resendInvite": {
    params: { accountId: string; inviteId: string }
    result: {
      ok: true
      expires_at: string
      invite_url: string
      email_sent: boolean
      email_skip_reason: "email_not_configured" | null
    }
  }
  "accounts.audit.log": {
    params: { accountId: string }
    query: {
      action?: string | undefined
      actor?: string | undefined
      actor_type?: "human" | "agent" | "service_account" | "system" | undefined
      project_id?: string | undefined
      session_id?: string | undefined
      source?: string | undefined
      phase?: string | undefined
      outcome?: "success" | "failure" | "denied" | "pending" | undefined
      request_id?: string | undefined
      correlation_id?: string | undefined
      resource_type?: string | undefined
      since?: string | undefined
      until?: string | undefined
      q?: string | undefined
      cursor?: string | undefined
      limit?: string | undefined
    }
    result: {
      events: AuditEvent[]
      next_cursor: string | null
    }
  }
  "accounts.audit.export": {
    params: { accountId: string }
    query: {
      action?: string | undefined
      actor?: string | undefined
      actor_type?: "human" | "agent" | "service_account" | "system" | undefined
      project_id?: string | undefined
      session_id?: string | undefined
      source?: string | undefined
      phase?: string | undefined
      outcome?: "success" | "failure" | "denied" | "pending" | undefined
      request_id?: string | undefined
      correlation_id?: string | undefined
      resource_type?: string | undefined
      since?: string | undefined
      until?: string | undefined
      q?: string | undefined
      cursor?: string | undefined
      limit?: string | undefined
      format?: "csv" | "jsonl" | undefined
    }
    result: Blob
  }
  "audit.instanceLog": {
    query: {
      action?: string | undefined
      actor?: string | undefined
      actor_type?: "human" | "agent" | "service_account" | "system" | undefined
      project_id?: string | undefined
      session_id?: string | undefined
      source?: string | undefined
      phase?: string | undefined
      outcome?: "success" | "failure" | "denied" | "pending" | undefined
      request_id?: string | undefined
      correlation_id?: string | undefined
      resource_type?: string | undefined
      since?: string | undefined
      until?: string | undefined
      q?: string | undefined
      cursor?: string | undefined
      limit?: string | undefined
    }
    result: {
      events: AuditEvent[]
      next_cursor: string | null
    }
  }
  "audit.instanceExport": {
    query: {
      action?: string | undefined
      actor?: string | undefined
      actor_type?: "human" | "agent" | "service_account" | "system" | undefined
      project_id?: string | undefined
      session_id?: string | undefined
      source?: string | undefined
      phase?: string | undefined
      outcome?: "success" | "failure" | "denied" | "pending" | undefined
      request_id?: string | undefined
      correlation_id?: string | undefined
      resource_type?: string | undefined
      since?: string | undefined
      until?: string | undefined
      q?: string | undefined
      cursor?: string | undefined
      limit?: string | undefined
      format?: "csv" | "jsonl" | undefined
    }
    result: Blob
  }
  "audit.keys": {
    result: {
      keys: AuditKey[]
    }
  }
  "accounts.audit.webhooks.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      webhooks: AuditWebhook[]
    }
  }
  "accounts.audit.webhooks.create": {
    params: { accountId: string }
    body: {
      name: string
      url: string
      action_prefix?: string | null | undefined
    }
    result: {
      webhook_id: string
      name: string
      url: string
      enabled: boolean
      action_prefix: string | null
      last_delivered_at: string | null
      last_error_at: string | null
      last_error: string | null
      created_at: string
      updated_at: string
      secret: string
      test: {
        ok: boolean
        status?: number | undefined
        error?: string | undefined
      }
    }
  }
  "accounts.audit.webhooks.update": {
    params: { accountId: string; webhookId: string }
    body: {
      name?: string | undefined
      enabled?: boolean | undefined
      action_prefix?: string | null | undefined
    }
    result: AuditWebhook
  }
  "accounts.audit.webhooks.remove": {
    params: { accountId: string; webhookId: string }
    result: {
      deleted: true
    }
  }
  "accounts.audit.webhooks.rotateSecret": {
    params: { accountId: string; webhookId: string }
    result: {
      secret: string
    }
  }
  "accounts.audit.webhooks.replay": {
    params: { accountId: string; webhookId: string }
    body: {
      since: string
    }
    result: {
      queued: number
      remaining: number
    }
  }
  "auth.signUp": {
    body: {
      email: string
      password: string
      redirect_to?: string | undefined
      data?: Record<string, unknown> | undefined
    }
    result: {
      user: AuthUser | null
      session: AuthSession | null
      requires_email_confirmation: boolean
    }
  }
  "auth.signInWithPassword": {
    body: {
      email: string
      password: string
    }
    result: SignedIn
  }
  "auth.sendMagicLink": {
    body: {
      email: string
      redirect_to?: string | undefined
      create_user?: boolean | undefined
      data?: Record<string, unknown> | undefined
    }
    result: {
      sent: true
    }
  }
  "auth.verifyOtp": {
    body: {
      email: string
      token: string
      type: "magiclink" | "recovery" | "signup"
    }
    result: SignedIn
  }
  "auth.signInWithProvider": {
    body: {
      provider: "google" | "github" | "azure" | "apple" | "gitlab" | "bitbucket" | "discord" | "slack" | "linkedin_oidc" | "keycloak" | "workos"
      redirect_to: string
      scopes?: string | undefined
    }
    result: {
      url: string
      code_verifier: string
    }
  }
  "auth.providerCallback": {
    params: { provider: string }
    query: {
      state?: string | undefined
      code?: string | undefined
      error?: string | undefined
      error_description?: string | undefined
      iss?: string | undefined
    }
    result: string
  }
  "auth.exchangeCode": {
    body: {
      code: string
      code_verifier: string
    }
    result: SignedIn
  }
  "auth.refresh": {
    body: {
      refresh_token: string
    }
    result: SignedIn
  }
  "auth.resetPassword": {
    body: {
      email: string
      redirect_to?: string | undefined
    }
    result: {
      sent: true
    }
  }
  "auth.updatePassword": {
    body: {
      password: string
    }
    result: {
      user: AuthUser
    }
  }
  "auth.user": {
    result: {
      user: AuthUser
    }
  }
  "auth.signOut": {
    body: {
      scope?: "global" | "local" | "others" | undefined
    }
    result: {
      ok: true
    }
  }
  "auth.firstRun": {
    body: {
      token: string
      email: string
      password: string
    }
    result: SignedIn
  }
  "changeRequests.list": {
    params: { projectId: string }
    query: {
      status?: "open" | "merged" | "closed" | "all" | undefined
      cursor?: string | undefined
    }
    result: {
      change_requests: ChangeRequest[]
    }
  }
  "changeRequests.get": {
    params: { projectId: string; crId: string }
    result: {
      change_request: ChangeRequest
    }
  }
  "changeRequests.diff": {
    params: { projectId: string; crId: string }
    result: {
      cr_id: string
      base_ref: string
      head_ref: string
      base_sha: string
      head_sha: string
      merge_base: string | null
      files: CommitFile[]
      files_changed: number
      additions: number
      deletions: number
      patch: string
    }
  }
  "changeRequests.mergePreview": {
    params: { projectId: string; crId: string }
    result: {
      base_sha: string
      head_sha: string
      merge_base: string | null
      can_fast_forward: boolean
      can_merge: boolean
      conflicts: string[]
      is_up_to_date: boolean
    }
  }
  "changeRequests.open": {
    params: { projectId: string }
    body: {
      title: string
      head_ref: string
      description?: string | undefined
      base_ref?: string | undefined
      session_id?: string | undefined
    }
    result: ChangeRequest
  }
  "changeRequests.edit": {
    params: { projectId: string; crId: string }
    body: {
      title?: string | undefined
      description?: string | undefined
    }
    result: ChangeRequest
  }
  "changeRequests.merge": {
    params: { projectId: string; crId: string }
    body: {
      message?: string | undefined
      expected_head_sha?: string | undefined
      expected_base_sha?: string | undefined
    }
    result: {
      change_request: ChangeRequest
      merge: {
        merge_commit_sha: string
        fast_forward: boolean
        base_sha_before: string
        base_sha_after: string
      }
    }
  }
  "changeRequests.close": {
    params: { projectId: string; crId: string }
    body: {
      comment?: string | undefined
    }
    result: ChangeRequest
  }
  "changeRequests.reopen": {
    params: { projectId: string; crId: string }
    body: {
      comment?: string | undefined
    }
    result: ChangeRequest
  }
  "changeRequests.requestChanges": {
    params: { projectId: string; crId: string }
    body: {
      feedback: string
      deliver?: boolean | undefined
    }
    result: {
      change_request: ChangeRequest
      delivering: boolean
    }
  }
  "github.getInstallation": {
    query: {
      account_id?: string | undefined
    }
    result: GithubInstallations
  }
  "github.listInstallations": {
    query: {
      account_id?: string | undefined
    }
    result: GithubInstallations
  }
  "github.saveInstallation": {
    body: {
      state: string
      installation_id: string | number
      github_user_token: string
    }
    result: GithubInstallationStatus
  }
  "github.deleteInstallation": {
    query: {
      account_id?: string | undefined
      installation_id?: string | undefined
    }
    result: {
      ok: true
    }
  }
  "github.listRepositories": {
    query: {
      account_id?: string | undefined
      installation_id?: string | undefined
      search?: string | undefined
      limit?: string | undefined
    }
    result: {
      account_id: string
      configured: boolean
      installation_id: string | null
      owner_login: string | null
      repositories: GithubRepository[]
    }
  }
  "github.listRepositoryBranches": {
    query: {
      account_id?: string | undefined
      installation_id?: string | undefined
      repo_full_name: string
    }
    result: {
      account_id: string
      configured: boolean
      installation_id: string | null
      owner_login: string | null
      repo_full_name: string
      default_branch: string | null
      branches: {
        name: string
        protected: boolean
      }[]
    }
  }
  "github.linkRepository": {
    body: {
      repo_full_name?: string | undefined
      repo_url?: string | undefined
      account_id?: string | undefined
      installation_id?: string | number | undefined
      name?: string | undefined
      default_branch?: string | undefined
      manifest_path?: string | undefined
      github_token?: string | undefined
    }
    result: {
      project: Project
      git_connection: GitConnection | null
    }
  }
  "iam.listAssignments": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
      principal_type?: "user" | "group" | "service_account" | "pending" | undefined
      principal_id?: string | undefined
      scope_type?: "account" | "project" | undefined
      scope_id?: string | undefined
      object_type?: "agent" | "skill" | "secret" | "app" | "trigger" | undefined
      object_id?: string | undefined
      role_id?: string | undefined
      include_expired?: "0" | "1" | "" | "true" | "false" | undefined
    }
    result: {
      assignments: Assignment[]
    }
  }
  "iam.createAssignment": {
    params: { accountId: string }
    body: {
      principal_type: "user" | "group" | "service_account" | "pending"
      principal_id: string
      scope_type: "account" | "project"
      scope_id?: string | null | undefined
      role_id?: string | undefined
      role_key?: string | undefined
      object_type?: "agent" | "skill" | "secret" | "app" | "trigger" | null | undefined
      object_id?: string | null | undefined
      expires_at?: string | null | undefined
    }
    result: Assignment
  }
  "iam.revokeAssignment": {
    params: { accountId: string; assignmentId: string }
    result: {
      revoked: true
      assignment: Assignment
    }
  }
  "iam.listPermissions": {
    params: { accountId: string }
    query: {
      scope_type?: "account" | "project" | undefined
    }
    result: {
      permissions: Permission[]
    }
  }
  "iam.roles.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      roles: Role[]
    }
  }
  "iam.roles.permissions": {
    params: { accountId: string; roleId: string }
    result: {
      role_id: string
      key: string
      actions: string[]
    }
  }
  "iam.roles.create": {
    params: { accountId: string }
    body: {
      key: string
      name: string
      description?: string | null | undefined
      resourceType?: "account" | "project" | undefined
      actions: string[]
    }
    result: Role
  }
  "iam.roles.update": {
    params: { accountId: string; roleId: string }
    body: {
      name?: string | undefined
      description?: string | null | undefined
    }
    result: Role
  }
  "iam.roles.setPermissions": {
    params: { accountId: string; roleId: string }
    body: {
      actions: string[]
    }
    result: {
      role_id: string
      actions: string[]
    }
  }
  "iam.roles.remove": {
    params: { accountId: string; roleId: string }
    result: {
      deleted: true
    }
  }
  "iam.roles.usage": {
    params: { accountId: string; roleId: string }
    result: {
      role_id: string
      policy_count: number
    }
  }
  "iam.groups.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      groups: Group[]
    }
  }
  "iam.groups.create": {
    params: { accountId: string }
    body: {
      name: string
      description?: string | null | undefined
    }
    result: Group
  }
  "iam.groups.get": {
    params: { accountId: string; groupId: string }
    result: Group
  }
  "iam.groups.update": {
    params: { accountId: string; groupId: string }
    body: {
      name?: string | undefined
      description?: string | null | undefined
    }
    result: Group
  }
  "iam.groups.remove": {
    params: { accountId: string; groupId: string }
    result: {
      deleted: true
    }
  }
  "iam.groups.members": {
    params: { accountId: string; groupId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      members: {
        user_id: string
        added_at: string
        added_by: string | null
      }[]
    }
  }
  "iam.groups.addMembers": {
    params: { accountId: string; groupId: string }
    body: {
      userIds: string[]
    }
    result: {
      added: number
    }
  }
  "iam.groups.removeMember": {
    params: { accountId: string; groupId: string; userId: string }
    result: {
      removed: true
    }
  }
  "iam.serviceAccounts.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      service_accounts: ServiceAccount[]
    }
  }
  "iam.serviceAccounts.create": {
    params: { accountId: string }
    body: {
      name: string
      description?: string | null | undefined
      expires_at?: string | null | undefined
    }
    result: ServiceAccountWithSecret
  }
  "iam.serviceAccounts.disable": {
    params: { accountId: string; serviceAccountId: string }
    result: {
      disabled: true
    }
  }
  "iam.serviceAccounts.remove": {
    params: { accountId: string; serviceAccountId: string }
    result: {
      deleted: true
    }
  }
  "iam.agentIdentities.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      agents: {
        service_account_id: string
        name: string
        project_id: string
        agent_name: string
      }[]
    }
  }
  "iam.explain": {
    params: { accountId: string }
    body: {
      probes: {
        action: string
        project_id?: string | undefined
        object?: {
          type: "agent" | "skill" | "secret" | "app" | "trigger"
          id: string
        } | undefined
      }[]
      principal?: {
        type: "user" | "service_account"
        id: string
      } | undefined
    }
    result: {
      results: Verdict[]
    }
  }
  "models.chatCompletions": {
    body: Blob
    result: Blob
  }
  "models.messages": {
    body: Blob
    result: Blob
  }
  "models.messagesBelow": {
    body: Blob
    result: Blob
  }
  "models.responses": {
    body: Blob
    result: Blob
  }
  "models.embeddings": {
    body: Blob
    result: Blob
  }
  "models.playground": {
    params: { projectId: string }
    body: Blob
    result: Blob
  }
  "models.list": {
    query: {
      scope?: "managed" | undefined
    }
    result: {
      object: "list"
      data: {
        id: string
        object: "model"
        created: number
        owned_by: string
      }[]
      models: Record<string, ModelInfo>
    }
  }
  "models.health": {
    result: {
      status: "ok"
    }
  }
  "gateway.routing.get": {
    params: { projectId: string }
    result: RoutingDocument
  }
  "gateway.routing.set": {
    params: { projectId: string }
    body: Record<string, unknown>
    result: RoutingDocument
  }
  "gateway.routing.reset": {
    params: { projectId: string }
    result: RoutingDocument
  }
  "gateway.routing.preview": {
    params: { projectId: string }
    body: {
      requestedModel: string
      imageInput?: boolean | undefined
    }
    result: {
      version: 1
      route: {
        policyId: string
        primaryModel: string
        fallbackModels: string[]
        fallbackOn: "transient" | "any-error"
      }
      answers: string | null
      models: {
        model: string
        available: boolean
        reason: string | null
        health: "ok" | "degraded" | "down"
        cost: {
          input: number
          output: number
        } | null
      }[]
    }
  }
  "projects.modelAccess": {
    params: { projectId: string }
    result: ModelAccess
  }
  "projects.setModelAccess": {
    params: { projectId: string }
    body: {
      target: "provider" | "model"
      id: string
      enabled: boolean
    }
    result: ModelAccess
  }
  "projects.llmCatalog": {
    params: { projectId: string }
    result: {
      models: Record<string, ModelInfo>
    }
  }
  "projects.modelPicker": {
    params: { projectId: string }
    result: {
      models: Record<string, {
          name: string
          provider?: string | undefined
          description?: string | undefined
          free?: boolean | undefined
          tool_call?: boolean | undefined
          reasoning?: boolean | undefined
          attachment?: boolean | undefined
          temperature?: boolean | undefined
          structured_output?: boolean | undefined
          limit?: {
            context: number
            input?: number | undefined
            output: number
          } | undefined
          cost?: {
            input: number
            output: number
            cache_read: number
            cache_write: number
            tiers?: {
              input: number
              output: number
              cache_read: number
              cache_write: number
              tier: {
                type: "context"
                size: number
              }
            }[] | undefined
          } | undefined
          modalities?: {
            input: string[]
            output: string[]
          } | undefined
          reasoning_options?: {
            type: string
            values?: string[] | undefined
            min?: number | undefined
            max?: number | undefined
          }[] | undefined
          family?: string | undefined
          release_date?: string | undefined
          last_updated?: string | undefined
          knowledge?: string | undefined
          open_weights?: boolean | undefined
          enabled: boolean
        }>
      modelOverrides: Record<string, boolean>
      defaultModel?: string | undefined
      usingDefaults: boolean
    }
  }
  "modelDefaults.get": {
    params: { projectId: string }
    result: {
      platformDefault: string
      accountDefault: string | null
      agentDefaults: Record<string, string>
      projectDefault: string | null
      resolvedForCaller: string | null
      resolvedSource: "agent" | "project" | "account" | "platform"
      freeTier: boolean
    }
  }
  "modelDefaults.set": {
    params: { projectId: string }
    body: {
      scope: "account" | "agent" | "project"
      agentName?: string | undefined
      model: string
    }
    result: {
      ok: true
      scope: "account" | "agent" | "project"
      agentName?: string | undefined
      model: string
    }
  }
  "modelDefaults.clear": {
    params: { projectId: string }
    query: {
      scope: string
      agentName?: string | undefined
    }
    result: {
      ok: true
      scope: "account" | "agent" | "project"
      agentName?: string | undefined
    }
  }
  "operator.catalog.get": {
    result: ModelCatalog
  }
  "operator.catalog.refresh": {
    result: ModelCatalog
  }
  "billing.sessionCosts.export": {
    query: {
      account_id?: string | undefined
      project_id?: string | undefined
      owner_id?: string | undefined
      from?: string | undefined
      to?: string | undefined
      sort?: "total_desc" | "total_asc" | "recent" | undefined
      limit?: string | undefined
      offset?: string | undefined
    }
    result: Blob
  }
  "billing.sessionCosts.list": {
    query: {
      account_id?: string | undefined
      project_id?: string | undefined
      owner_id?: string | undefined
      from?: string | undefined
      to?: string | undefined
      sort?: "total_desc" | "total_asc" | "recent" | undefined
      limit?: string | undefined
      offset?: string | undefined
    }
    result: {
      sessions: SessionCost[]
      total: number
      limit: number
      offset: number
      next_offset: number | null
      reconciliation: {
        llm_cost: number
        compute_cost: number
        total_cost: number
        request_count: number
        compute_window_count: number
        compute_seconds: number
      }
    }
  }
  "gateway.logs": {
    params: { projectId: string }
    query: {
      limit?: string | undefined
      offset?: string | undefined
      ok?: "0" | "1" | "" | "true" | "false" | undefined
    }
    result: {
      logs: GatewayLog[]
      next_offset: number | null
    }
  }
  "gateway.log": {
    params: { projectId: string; logId: string }
    result: {
      log_id: string
      request_id: string
      created_at: string
      requested_model: string
      resolved_model: string
      provider: string
      status: number
      ok: boolean
      error_code: string | null
      error_message: string | null
      latency_ms: number
      first_token_ms: number | null
      attempts: number
      input_tokens: number
      output_tokens: number
      cached_tokens: number
      cache_write_tokens: number
      svc_cost: number
      provider_cost: number
      total_cost: number
      price_version: string | null
      streaming: boolean
      billing_mode: "credits" | "platform-fee" | "none" | null
      actor_user_id: string | null
      key_id: string | null
      session_id: string | null
      candidates_tried: Record<string, unknown>[]
      request: Record<string, unknown> | null
      response: Record<string, unknown> | null
      metadata: Record<string, unknown>
    }
  }
  "gateway.overview": {
    params: { projectId: string }
    query: {
      days?: string | undefined
    }
    result: {
      window_days: number
      requests: number
      errors: number
      total_cost: number
      svc_cost: number
      provider_cost: number
      input_tokens: number
      output_tokens: number
    }
  }
  "gateway.series": {
    params: { projectId: string }
    query: {
      days?: string | undefined
    }
    result: {
      window_days: number
      series: {
        day: string
        requests: number
        errors: number
        cost: number
        svc_cost: number
        provider_cost: number
        input_tokens: number
        output_tokens: number
        p50: number
        p95: number
        p99: number
      }[]
    }
  }
  "gateway.breakdown": {
    params: { projectId: string }
    query: {
      days?: string | undefined
    }
    result: {
      window_days: number
      models: {
        model: string
        provider: string
        requests: number
        errors: number
        cost: number
        svc_cost: number
        provider_cost: number
        tokens: number
      }[]
    }
  }
  "gateway.sessions": {
    params: { projectId: string }
    query: {
      days?: string | undefined
    }
    result: {
      window_days: number
      sessions: {
        session_id: string
        llm_cost: number
        compute_cost: number
        total_cost: number
        requests: number
        errors: number
        tokens: number
        models: number
        compute_seconds: number
        last_at: string | null
      }[]
    }
  }
  "gateway.errors": {
    params: { projectId: string }
    query: {
      days?: string | undefined
    }
    result: {
      window_days: number
      errors: {
        code: string
        count: number
      }[]
    }
  }
  "gateway.budgets": {
    params: { projectId: string }
    result: {
      project_spend: {
        requests: number
        cost: number
      }
      budgets: GatewayBudget[]
      members: {
        user_id: string
        email: string | null
        requests: number
        cost: number
        tokens: number
      }[]
    }
  }
  "gateway.setBudget": {
    params: { projectId: string }
    body: {
      scope: "project" | "member" | "agent" | "session" | "key"
      subject_user_id?: string | null | undefined
      subject_id?: string | null | undefined
      limit_usd: number
      period?: "day" | "week" | "month" | undefined
      action?: "block" | "warn" | undefined
    }
    result: {
      ok: true
    }
  }
  "gateway.deleteBudget": {
    params: { projectId: string; budgetId: string }
    result: {
      ok: true
    }
  }
  "gateway.keys": {
    params: { projectId: string }
    result: {
      gateway_url: string | null
      keys: {
        key_id: string
        name: string
        key_prefix: string
        status: "active" | "revoked" | "expired"
        last_used_at: string | null
        created_at: string
      }[]
    }
  }
  "gateway.createKey": {
    params: { projectId: string }
    body: {
      name: string
    }
    result: {
      key_id: string
      name: string
      key_prefix: string
      secret_key: string
    }
  }
  "gateway.revokeKey": {
    params: { projectId: string; keyId: string }
    result: {
      ok: boolean
    }
  }
  "gateway.retention": {
    params: { projectId: string }
    result: GatewayRetention
  }
  "gateway.setRetention": {
    params: { projectId: string }
    body: {
      prompt_days: number | null
    }
    result: GatewayRetention
  }
  "gateway.playground": {
    params: { projectId: string }
    body: {
      prompt: string
      models: string[]
      system?: string | undefined
      generationConfig?: {
        reasoningEffort?: string | undefined
        temperature?: number | undefined
        topP?: number | undefined
        maxOutputTokens?: number | undefined
      } | undefined
    }
    result: {
      results: {
        model: string
        ok: boolean
        latency_ms?: number | undefined
        output?: string | undefined
        input_tokens?: number | undefined
        output_tokens?: number | undefined
        cost?: number | undefined
        resolved_model?: string | undefined
        provider?: string | undefined
        error?: string | undefined
      }[]
    }
  }
  "oauth.discovery": {
    result: OAuthServer
  }
  "oauth.discoveryBelow": {
    result: OAuthServer
  }
  "oauth.authorize": {
    query: {
      client_id?: string | undefined
      redirect_uri?: string | undefined
      response_type?: string | undefined
      scope?: string | undefined
      state?: string | undefined
      code_challenge?: string | undefined
      code_challenge_method?: string | undefined
    }
    result: string
  }
  "oauth.consentRequest": {
    params: { requestId: string }
    result: OAuthConsentRequest
  }
  "oauth.decideConsent": {
    body: {
      request_id: string
      approved: boolean
    }
    result: {
      redirect_uri: string
    }
  }
  "oauth.token": {
    body: {
      client_id?: string | undefined
      client_secret?: string | undefined
      grant_type?: string | undefined
      code?: string | undefined
      redirect_uri?: string | undefined
      code_verifier?: string | undefined
      refresh_token?: string | undefined
    }
    result: OAuthTokens
  }
  "oauth.revoke": {
    body: {
      client_id?: string | undefined
      client_secret?: string | undefined
      token?: string | undefined
      token_type_hint?: string | undefined
    }
    result: {
      revoked: boolean
    }
  }
  "oauth.userinfo": {
    result: {
      sub: string
      user_id: string
      account_id: string
      email: string
    }
  }
  "oauth.clients.list": {
    params: { accountId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      oauth_clients: OAuthClient[]
      scopes_supported: string[]
    }
  }
  "oauth.clients.create": {
    params: { accountId: string }
    body: {
      name: string
      description?: string | null | undefined
      client_type?: "confidential" | "public" | undefined
      redirect_uris: string[]
      scopes?: ("profile" | "email" | "svc")[] | undefined
    }
    result: OAuthClientWithSecret
  }
  "oauth.clients.get": {
    params: { accountId: string; clientId: string }
    result: OAuthClient
  }
  "oauth.clients.update": {
    params: { accountId: string; clientId: string }
    body: {
      name?: string | undefined
      description?: string | null | undefined
      redirect_uris?: string[] | undefined
      scopes?: ("profile" | "email" | "svc")[] | undefined
      active?: boolean | undefined
    }
    result: OAuthClient
  }
  "oauth.clients.remove": {
    params: { accountId: string; clientId: string }
    result: {
      deleted: true
    }
  }
  "oauth.clients.rotateSecret": {
    params: { accountId: string; clientId: string }
    result: OAuthClientWithSecret
  }
  "operator.health": {
    result: {
      version: string
      parts: Part[]
      jobs: {
        ready: number
        scheduled: number
        retrying: number
        running: number
        dead: number
      }
    }
  }
  "operator.jobs.list": {
    result: {
      jobs: JobCounts[]
    }
  }
  "operator.jobs.dead": {
    query: {
      cursor?: string | undefined
      limit?: string | undefined
    }
    result: {
      jobs: DeadJob[]
    }
  }
  "operator.jobs.retry": {
    params: { jobId: string }
    result: {
      retried: true
    }
  }
  "operator.jobs.discard": {
    params: { jobId: string }
    result: {
      discarded: true
    }
  }
  "operator.settings.get": {
    result: InstanceSettings
  }
  "operator.settings.update": {
    body: {
      sign_up?: "open" | "invitation" | "closed" | undefined
      email_confirmation?: "auto" | "on" | "off" | undefined
      redirect_allow_list?: string[] | undefined
      entitlements?: ("rbac" | "auditAccess" | "branding")[] | undefined
      account_creation?: "everyone" | "operators" | undefined
    }
    result: InstanceSettings
  }
  "operator.mailbox": {
    result: {
      enabled: boolean
      mails: KeptMail[]
    }
  }
  "operator.users.list": {
    query: {
      cursor?: string | undefined
      limit?: string | undefined
      q?: string | undefined
    }
    result: {
      users: OperatorUser[]
    }
  }
  "operator.sandboxes.list": {
    query: {
      cursor?: string | undefined
      limit?: string | undefined
    }
    result: {
      sandboxes: OperatorSandbox[]
    }
  }
  "operator.sandboxes.destroy": {
    params: { sandboxId: string }
    result: {
      destroyed: true
    }
  }
  "system.connectStatus": {
    result: {
      configured: boolean
      provider: string | null
    }
  }
  "pages.stylesheet": {
    result: string
  }
  "pages.firstRun": {
    query: {
      token?: string | undefined
    }
    result: string
  }
  "pages.claim": {
    body: {
      csrf?: string | undefined
      token?: string | undefined
      email?: string | undefined
      password?: string | undefined
    }
    result: string
  }
  "pages.signIn": {
    query: {
      next?: string | undefined
    }
    result: string
  }
  "pages.signInWithPassword": {
    body: {
      csrf?: string | undefined
      email?: string | undefined
      password?: string | undefined
      next?: string | undefined
    }
    result: string
  }
  "pages.signInWithProvider": {
    params: { provider: string }
    query: {
      next?: string | undefined
    }
    result: string
  }
  "pages.returnFromProvider": {
    query: {
      code?: string | undefined
      error?: string | undefined
      error_description?: string | undefined
      next?: string | undefined
    }
    result: string
  }
  "pages.sendCode": {
    body: {
      csrf?: string | undefined
      email?: string | undefined
      next?: string | undefined
    }
    result: string
  }
  "pages.signInWithCode": {
    body: {
      csrf?: string | undefined
      email?: string | undefined
      code?: string | undefined
      next?: string | undefined
    }
    result: string
  }
  "pages.signInLink": {
    query: {
      token?: string | undefined
    }
    result: string
  }
  "pages.signInWithLink": {
    body: {
      csrf?: string | undefined
      token?: string | undefined
    }
    result: string
  }
  "pages.signUp": {
    query: {
      next?: string | undefined
      email?: string | undefined
    }
    result: string
  }
  "pages.register": {
    body: {
      csrf?: string | undefined
      email?: string | undefined
      password?: string | undefined
      next?: string | undefined
    }
    result: string
  }
  "pages.confirmLink": {
    query: {
      token?: string | undefined
    }
    result: string
  }
  "pages.confirm": {
    body: {
      csrf?: string | undefined
      token?: string | undefined
      email?: string | undefined
      code?: string | undefined
      next?: string | undefined
    }
    result: string
  }
  "pages.resetPassword": {
    result: string
  }
  "pages.sendReset": {
    body: {
      csrf?: string | undefined
      email?: string | undefined
    }
    result: string
  }
  "pages.newPassword": {
    query: {
      token?: string | undefined
    }
    result: string
  }
  "pages.setPassword": {
    body: {
      csrf?: string | undefined
      token?: string | undefined
      email?: string | undefined
      code?: string | undefined
      password?: string | undefined
    }
    result: string
  }
  "pages.signOut": {
    body: {
      csrf?: string | undefined
    }
    result: string
  }
  "pages.invite": {
    params: { inviteId: string }
    result: string
  }
  "pages.answerInvite": {
    params: { inviteId: string }
    body: {
      csrf?: string | undefined
      decision?: string | undefined
    }
    result: string
  }
  "pages.consent": {
    query: {
      request_id?: string | undefined
    }
    result: string
  }
  "pages.answerConsent": {
    body: {
      csrf?: string | undefined
      request_id?: string | undefined
      decision?: string | undefined
    }
    result: string
  }
  "pages.accessToken": {
    result: {
      access_token: string
      expires_at: string
    }
  }
  "pages.mailbox": {
    query: {
      format?: "" | "json" | "html" | undefined
    }
    result: string
  }
  "access.list": {
    params: { projectId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      project_id: string
      account_id: string
      can_manage: boolean
      viewer_user_id: string | null
      members: AccessMember[]
      group_access: GroupGrant[]
    }
  }
  "access.invite": {
    params: { projectId: string }
    body: {
      email: string
      role: "manager" | "member"
      expires_at?: string | null | undefined
    }
    result: {
      status: "invited"
      email: string
      invite_id: string
      project_role: "manager" | "member"
      invite_url: string
      email_sent: boolean
      email_skip_reason: "email_not_configured" | null
      message: string
    } | ProjectMember
  }
  "access.update": {
    params: { projectId: string; userId: string }
    body: {
      role: "manager" | "member"
      expires_at?: string | null | undefined
    }
    result: ProjectMember
  }
  "access.revoke": {
    params: { projectId: string; userId: string }
    result: {
      ok: true
    }
  }
  "access.pendingInvites": {
    params: { projectId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      pending: {
        invite_id: string
        email: string
        project_role: "manager" | "member"
        expires_at: string | null
        invited_by_email: string | null
        created_at: string
        invite_expires_at: string
        invite_expired: boolean
      }[]
    }
  }
  "access.resendInvite": {
    params: { projectId: string; inviteId: string }
    result: {
      ok: true
      expires_at: string
      invite_url: string
      email_sent: boolean
      email_skip_reason: "email_not_configured" | null
    }
  }
  "access.revokeInvite": {
    params: { projectId: string; inviteId: string }
    result: {
      ok: true
      invitation_cancelled: boolean
    }
  }
  "access.request": {
    params: { projectId: string }
    body: {
      message?: string | null | undefined
    }
    result: {
      status: "created" | "pending"
      request: AccessRequest
    } | {
      status: "already_has_access"
      project_id: string
    }
  }
  "access.requests": {
    params: { projectId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      requests: AccessRequest[]
    }
  }
  "access.approveRequest": {
    params: { projectId: string; requestId: string }
    body: {
      role?: "manager" | "member" | undefined
    }
    result: {
      request: AccessRequest
      member: ProjectMember
    }
  }
  "access.rejectRequest": {
    params: { projectId: string; requestId: string }
    result: {
      request: AccessRequest
    }
  }
  "access.groupGrants": {
    params: { projectId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      grants: GroupGrant[]
    }
  }
  "access.attachGroupGrant": {
    params: { projectId: string }
    body: {
      group_id: string
      role: "manager" | "member"
      expires_at?: string | null | undefined
    }
    result: {
      project_id: string
      group_id: string
      role: "manager" | "member"
    }
  }
  "access.updateGroupGrant": {
    params: { projectId: string; groupId: string }
    body: {
      role: "manager" | "member"
      expires_at?: string | null | undefined
    }
    result: {
      project_id: string
      group_id: string
      role: "manager" | "member"
    }
  }
  "access.detachGroupGrant": {
    params: { projectId: string; groupId: string }
    result: {
      ok: true
    }
  }
  "access.resourceGrants.list": {
    params: { projectId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      resources: {
        agents: {
          id: string
          name: string
          description: string | null
          declares?: {
            secrets: "all" | string[]
            connectors: "all" | string[]
          } | undefined
        }[]
        skills: {
          id: string
          name: string
          description: string | null
        }[]
      }
      grants: ResourceGrant[]
    }
  }
  "access.resourceGrants.create": {
    params: { projectId: string }
    body: {
      resource_type: "agent" | "skill" | "secret" | "app" | "trigger"
      resource_id: string
      principal_type: "member" | "group"
      principal_id: string
      expires_at?: string | null | undefined
    }
    result: {
      grant_id: string
      resource_type: "agent" | "skill" | "secret" | "app" | "trigger"
      resource_id: string
      principal_type: "member" | "group"
      principal_id: string
    }
  }
  "access.resourceGrants.remove": {
    params: { projectId: string; grantId: string }
    result: {
      ok: true
    }
  }
  "tokens.list": {
    params: { projectId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      items: ProjectToken[]
    }
  }
  "tokens.create": {
    params: { projectId: string }
    body: {
      name?: string | undefined
    }
    result: {
      token_id: string
      name: string
      public_key: string
      secret_key: string
      status: "active" | "revoked"
      project_id: string
      expires_at: string | null
      created_at: string
    }
  }
  "tokens.revoke": {
    params: { projectId: string; tokenId: string }
    result: {
      ok: true
    }
  }
  "projects.list": {
    query: {
      account_id?: string | undefined
      cursor?: string | undefined
    }
    result: Project[]
  }
  "projects.get": {
    params: { projectId: string }
    result: Project
  }
  "projects.detail": {
    params: { projectId: string }
    result: ProjectDetail
  }
  "projects.create": {
    body: {
      repo_url: string
      account_id?: string | undefined
      name?: string | undefined
      default_branch?: string | undefined
      manifest_path?: string | undefined
      installation_id?: string | undefined
      git_token?: string | undefined
    }
    result: Project
  }
  "projects.createRepo": {
    body: {
      name: string
      account_id?: string | undefined
      installation_id?: string | undefined
      private?: boolean | undefined
      description?: string | undefined
      starter_template?: "general" | "minimal" | undefined
      source_item_id?: string | undefined
    }
    result: Project
  }
  "projects.provision": {
    body: ProvisionInput | {
      idempotency_key: string
      [key: string]: unknown
    }
    result: {
      project_id: string
      account_id: string
      name: string
      repo_url: string
      git_origin_url: string
      default_branch: string
      manifest_path: string
      status: "active" | "archived"
      metadata: Record<string, unknown>
      last_opened_at: string | null
      created_at: string
      updated_at: string
      project_role: "manager" | "member" | null
      effective_project_role: "manager" | "member" | null
      dashboard_url: string
      experimental: Record<string, boolean>
      experimental_features: FeatureFlag[]
      default_sandbox_provider: string | null
      available_sandbox_providers: string[]
      push_token: string | null
      git_username: string | null
      repo_id: string | null
      seeded: boolean
    }
  }
  "projects.update": {
    params: { projectId: string }
    body: {
      name?: string | undefined
      default_branch?: string | "" | undefined
      manifest_path?: string | "" | undefined
    }
    result: Project
  }
  "projects.archive": {
    params: { projectId: string }
    query: {
      purge?: "0" | "1" | "" | "true" | "false" | undefined
    }
    result: {
      ok: true
      archived: true
      repo_deleted: boolean
    }
  }
  "project.onboardingComplete": {
    params: { projectId: string }
    body: {
      completed: boolean
    }
    result: Project
  }
  "project.validateManifest": {
    params: { projectId: string }
    body: {
      raw: string
      format?: "yaml" | "toml" | undefined
    }
    result: {
      valid: boolean
      issues: ManifestIssue[]
    }
  }
  "project.gitToken": {
    params: { projectId: string }
    result: {
      push_token: string
      git_username: string
      repo_id: string | null
      repo_url: string | null
    }
  }
  "gitHosting.cloneCredential": {
    params: { projectId: string }
    result: {
      repo_url: string
      auth: {
        username: string
        token: string
        type: "basic"
      } | null
      source: "managed" | "remote"
      expires_at: string | null
    }
  }
  "project.setAgentScope": {
    params: { projectId: string; agentName: string }
    body: {
      env?: "all" | string[] | undefined
      connectors?: "all" | string[] | undefined
      connectors_required?: string[] | undefined
      connectors_personal?: string[] | undefined
    }
    result: {
      ok: true
      agent: string
      env: "all" | string[]
      connectors: "all" | string[]
      connectors_required: string[]
    }
  }
  "project.setDefaultAgent": {
    params: { projectId: string }
    body: {
      agent: string
    }
    result: {
      ok: true
      default_agent: string
    }
  }
  "project.updateFeatureFlag": {
    params: { projectId: string }
    body: {
      feature: "marketplace" | "connectors_api_discover" | "email" | "teams" | "voice" | "llm_gateway" | "apps" | "monitors" | "warm_sessions" | "secrets_egress"
      enabled: boolean | null
    }
    result: Project
  }
  "project.updateExperimentalFeature": {
    params: { projectId: string }
    body: {
      feature: "marketplace" | "connectors_api_discover" | "email" | "teams" | "voice" | "llm_gateway" | "apps" | "monitors" | "warm_sessions" | "secrets_egress"
      enabled: boolean | null
    }
    result: Project
  }
  "files.list": {
    params: { projectId: string }
    query: {
      ref?: string | undefined
      path?: string | undefined
      cursor?: string | undefined
    }
    result: ProjectFile[]
  }
  "files.read": {
    params: { projectId: string }
    query: {
      path: string
      ref?: string | undefined
    }
    result: {
      path: string
      ref: string
      content: string
    }
  }
  "files.search": {
    params: { projectId: string }
    query: {
      q: string
      content?: "0" | "1" | "" | "true" | "false" | undefined
      ref?: string | undefined
      limit?: string | undefined
    }
    result: {
      query: string
      ref: string
      content_search: boolean
      results: {
        path: string
        line_number?: number | undefined
        line_text?: string | undefined
      }[]
    }
  }
  "files.archive": {
    params: { projectId: string }
    query: {
      ref?: string | undefined
      path?: string | undefined
    }
    result: Blob
  }
  "files.history": {
    params: { projectId: string }
    query: {
      ref?: string | undefined
      limit?: string | undefined
      skip?: string | undefined
      cursor?: string | undefined
      path: string
    }
    result: {
      path: string
      ref: string
      commits: Commit[]
      hasMore: boolean
    }
  }
  "git.commits": {
    params: { projectId: string }
    query: {
      ref?: string | undefined
      limit?: string | undefined
      skip?: string | undefined
      cursor?: string | undefined
      path?: string | undefined
    }
    result: {
      ref: string
      path: string | null
      commits: Commit[]
      hasMore: boolean
    }
  }
  "git.commit": {
    params: { projectId: string; sha: string }
    result: {
      hash: string
      short_hash: string
      parents: string[]
      author_name: string
      author_email: string
      authored_at: string
      committer_name: string
      committer_email: string
      committed_at: string
      subject: string
      body: string
      files: CommitFile[]
    }
  }
  "git.commitDiff": {
    params: { projectId: string; sha: string }
    query: {
      path?: string | undefined
    }
    result: {
      hash: string
      parent: string | null
      path: string | null
      patch: string
    }
  }
  "git.branches": {
    params: { projectId: string }
    result: {
      default_branch: string
      branches: Branch[]
    }
  }
  "git.versionDiff": {
    params: { projectId: string }
    query: {
      from: string
      into: string
    }
    result: {
      from: string
      into: string
      from_sha: string | null
      into_sha: string | null
      merge_base: string | null
      files_changed: number
      additions: number
      deletions: number
      is_up_to_date: boolean
      is_same_ref: boolean
    }
  }
  "gitHosting.infoRefs": {
    params: { projectId: string }
    query: {
      service: "git-upload-pack" | "git-receive-pack"
    }
    result: Blob
  }
  "gitHosting.uploadPack": {
    params: { projectId: string }
    body: Blob
    result: Blob
  }
  "gitHosting.receivePack": {
    params: { projectId: string }
    body: Blob
    result: Blob
  }
  "sandbox.list": {
    params: { projectId: string }
    result: SandboxTemplateList
  }
  "sandbox.templates": {
    params: { projectId: string }
    result: SandboxTemplateList
  }
  "sandbox.snapshots": {
    params: { projectId: string }
    result: {
      templates: SandboxTemplate[]
      templates_error: string | null
      builds: SandboxBuild[]
      status: SandboxStatus
      provider_mode: "automatic" | "pinned"
      selected_provider: string | null
    }
  }
  "sandbox.health": {
    params: { projectId: string }
    result: {
      primary_slug: string | null
      primary_template: SandboxTemplate | null
      ready: boolean
      building: boolean
      latest_build: SandboxBuild | null
      latest_failure: SandboxBuild | null
      status: SandboxStatus | null
      provider_mode: "automatic" | "pinned"
      selected_provider: string | null
    }
  }
  "sandbox.rebuildSnapshot": {
    params: { projectId: string }
    body: {
      slug?: string | undefined
    }
    result: {
      status: "started"
      slug: string
      deleted_existing: boolean
      snapshot_name: string
      providers?: string[] | undefined
      failed_providers?: string[] | undefined
    }
  }
  "sandbox.fixWithAgent": {
    params: { projectId: string }
    result: {
      session_id: string
    }
  }
  "sandbox.buildLog": {
    params: { projectId: string; buildId: string }
    result: {
      build: SandboxBuild
      log: string
    }
  }
  "sandbox.createTemplate": {
    params: { projectId: string }
    body: SandboxTemplateInput
    result: {
      template_id: string
      slug: string
    }
  }
  "sandbox.updateTemplate": {
    params: { projectId: string; templateId: string }
    body: {
      slug?: string | undefined
      name?: string | null | undefined
      image?: string | null | undefined
      dockerfile_path?: string | null | undefined
      entrypoint?: string | null | undefined
      cpu?: number | null | undefined
      memory_gb?: number | null | undefined
      disk_gb?: number | null | undefined
    }
    result: {
      template_id: string
      slug: string
      build_status: "started"
      providers: string[]
    }
  }
  "sandbox.removeTemplate": {
    params: { projectId: string; templateId: string }
    result: undefined
  }
  "sandbox.buildTemplate": {
    params: { projectId: string; templateId: string }
    result: {
      status: "started"
      template_id: string
      slug: string
      providers?: string[] | undefined
    }
  }
  "sandbox.setProvider": {
    params: { projectId: string }
    body: {
      provider: string | null
    }
    result: {
      project_id: string
      account_id: string
      name: string
      repo_url: string
      git_origin_url: string
      default_branch: string
      manifest_path: string
      status: "active" | "archived"
      metadata: Record<string, unknown>
      last_opened_at: string | null
      created_at: string
      updated_at: string
      project_role: "manager" | "member" | null
      effective_project_role: "manager" | "member" | null
      dashboard_url: string
      experimental: Record<string, boolean>
      experimental_features: FeatureFlag[]
      default_sandbox_provider: string | null
      available_sandbox_providers: string[]
      kind: "project"
    } | {
      kind: "preparation"
      transition_id: string
      project_id: string
      status: "pending" | "building" | "ready" | "activating" | "activated" | "failed" | "superseded" | "cancelled"
      source_provider: string
      target_provider: string
      active_provider: string
      label: string
      generation: number
      error_class: string | null
      requested_at: string
      ready_at: string | null
      activated_at: string | null
      immediate: boolean
      snapshot_name: string | null
      external_template_id: string | null
      commit_sha: string | null
      attempts: number
      last_error: string | null
    }
  }
  "sandbox.transition": {
    params: { projectId: string }
    result: {
      active_provider: string | null
      latest: ProviderTransition | null
      history: ProviderTransition[]
    }
  }
  "sandbox.egress.get": {
    params: { projectId: string }
    result: EgressRules
  }
  "sandbox.egress.update": {
    params: { projectId: string }
    body: {
      allow: string[] | null
    }
    result: EgressRules
  }
  "sandbox.egress.log": {
    params: { projectId: string }
    query: {
      session_id?: string | undefined
      cursor?: string | undefined
    }
    result: {
      items: EgressLogEntry[]
      next_cursor: string | null
    }
  }
  "sandboxProxy.get": {
    params: { sandboxId: string; port: string; path: string }
    result: Blob
  }
  "sandboxProxy.post": {
    params: { sandboxId: string; port: string; path: string }
    result: Blob
  }
  "sandboxProxy.put": {
    params: { sandboxId: string; port: string; path: string }
    result: Blob
  }
  "sandboxProxy.patch": {
    params: { sandboxId: string; port: string; path: string }
    result: Blob
  }
  "sandboxProxy.delete": {
    params: { sandboxId: string; port: string; path: string }
    result: Blob
  }
  "sandboxProxy.enter": {
    params: { sandboxId: string; port: string }
    result: string
  }
  "sandboxProxy.signIn": {
    result: {
      ok: true
      ticket: string
      expires_at: string
    }
  }
  "sandboxProxy.config": {
    result: {
      preview_url_template: string | null
    }
  }
  "sandboxShares.list": {
    query: {
      sandbox_id: string
    }
    result: {
      shares: SandboxShare[]
    }
  }
  "sandboxShares.create": {
    body: {
      sandbox_id: string
      port: number
      ttl?: string | undefined
      label?: string | undefined
    }
    result: SandboxShare
  }
  "sandboxShares.revoke": {
    params: { token: string }
    query: {
      sandbox_id: string
    }
    result: {
      ok: true
    }
  }
  "publicShares.describe": {
    params: { token: string }
    result: {
      share: {
        resource_type: "preview" | "file"
        label: string | null
        port: number | null
        mode: "view" | "interactive"
        expires_at: string | null
        proxy_path: string
        public_url: string
      }
    }
  }
  "publicShares.get": {
    params: { token: string; port: string; path: string }
    result: Blob
  }
  "publicShares.post": {
    params: { token: string; port: string; path: string }
    result: Blob
  }
  "publicShares.put": {
    params: { token: string; port: string; path: string }
    result: Blob
  }
  "publicShares.patch": {
    params: { token: string; port: string; path: string }
    result: Blob
  }
  "publicShares.delete": {
    params: { token: string; port: string; path: string }
    result: Blob
  }
  "publicShares.file": {
    params: { token: string }
    result: Blob
  }
  "secrets.list": {
    params: { projectId: string }
    query: {
      cursor?: string | undefined
    }
    result: {
      items: Secret[]
      required: string[]
      optional: string[]
      can_manage: boolean
      manifest_status: "loaded" | "missing" | "error"
      manifest_path: string
      manifest_error?: string | undefined
    }
  }
  "secrets.upsert": {
    params: { projectId: string }
    body: {
      name: string
      identifier?: string | undefined
      value?: string | undefined
      strategy?: "runtime" | "egress" | "broker" | "denied" | undefined
      consumer?: "sandbox" | "network" | "broker" | "llm_gateway" | "connector" | "git_proxy" | null | undefined
      egress_policy?: Record<string, unknown> | null | undefined
      handle_prefix?: string | undefined
    }
    result: WrittenSecret
  }
  "secrets.setStrategy": {
    params: { projectId: string; identifier: string }
    body: {
      strategy: "runtime" | "egress" | "broker" | "denied"
      consumer?: "sandbox" | "network" | "broker" | "llm_gateway" | "connector" | "git_proxy" | null | undefined
      egress_policy?: Record<string, unknown> | null | undefined
      handle_prefix?: string | undefined
    }
    result: WrittenSecret
  }
  "secrets.remove": {
    params: { projectId: string; identifier: string }
    result: {
      ok: true
    }
  }
  "secrets.setPersonal": {
    params: { projectId: string; name: string }
    body: {
      value?: string | undefined
      active?: boolean | undefined
    }
    result: Secret
  }
  "secrets.removePersonal": {
    params: { projectId: string; name: string }
    result: {
      ok: true
    }
  }
  "secrets.setGitCredential": {
    params: { projectId: string }
    body: {
      token: string
      provider?: string | undefined
    }
    result: {
      configured: true
      provider: string
      git_connection: GitConnection
    }
  }
  "sessions.list": {
    params: { projectId: string }
    query: {
      scope?: "visible" | "project" | undefined
      cursor?: string | undefined
    }
    result: Session[]
  }
  "sessions.create": {
    params: { projectId: string }
    body: CreateSessionInput
    result: Session | QueuedSession
  }
  "sessions.warm": {
    params: { projectId: string }
    body: {
      exclude_session_id?: string | undefined
    }
    result: {
      session: Session
      reused: boolean
      workspace_refresh: {
        status: "skipped" | "unchanged" | "updated" | "failed"
        before_sha?: string | undefined
        after_sha?: string | undefined
        error?: string | undefined
      }
    }
  }
  "session.get": {
    params: { projectId: string; sessionId: string }
    result: Session
  }
  "session.update": {
    params: { projectId: string; sessionId: string }
    body: {
      name?: string | null | undefined
      metadata?: Record<string, unknown> | undefined
      [key: string]: unknown
    }
    result: Session
  }
  "session.delete": {
    params: { projectId: string; sessionId: string }
    result: {
      ok: true
    }
  }
  "session.start": {
    params: { projectId: string; sessionId: string }
    query: {
      wait_ms?: string | undefined
    }
    result: SessionStart
  }
  "session.restart": {
    params: { projectId: string; sessionId: string }
    result: {
      ok: true
      session_id: string
      status: "provisioning"
      reason?: string | undefined
      operation_id?: string | undefined
    }
  }
  "session.stop": {
    params: { projectId: string; sessionId: string }
    result: {
      ok: true
      session_id: string
      status: "stopped"
    }
  }
  "session.setSharing": {
    params: { projectId: string; sessionId: string }
    body: SharingIntent
    result: Session
  }
  "session.commit": {
    params: { projectId: string; sessionId: string }
    body: {
      message?: string | undefined
    }
    result: {
      committed: boolean
      pushed: boolean
      nothing_to_do: boolean
      branch: string | null
      head_sha: string | null
    }
  }
  "session.transcript": {
    params: { projectId: string; sessionId: string }
    query: {
      limit?: string | undefined
      chars?: string | undefined
    }
    result: Transcript
  }
  "session.audit": {
    params: { projectId: string; sessionId: string }
    query: {
      limit?: string | undefined
      cursor?: string | undefined
      include_events?: "0" | "1" | "" | "true" | "false" | undefined
    }
    result: {
      session_id: string
      agent: string | null
      audit_access: boolean
      count: number
      events: AuditEvent[]
      next_cursor: string | null
      actions: {
        execution_id: string
        action: string
        connector_id: string | null
        connector: string | null
        status: "ok" | "error" | "denied" | "pending_approval"
        risk: "read" | "write" | "destructive" | null
        acted_by: string | null
        acted_by_email: string | null
        resolved_by: string | null
        resolved_by_email: string | null
        result_summary: string | null
        at: string
        resolved_at: string | null
        approval_url: string | null
      }[]
    }
  }
  "session.cost": {
    params: { sessionId: string }
    query: {
      project_id?: string | undefined
    }
    result: {
      session_id: string
      project_id: string
      project_name: string
      owner_id: string | null
      owner_type: string | null
      owner_name: string | null
      owner_email: string | null
      status: string
      created_at: string
      updated_at: string
      last_activity_at: string | null
      llm_cost: number
      llm_svc_cost: number
      llm_provider_cost: number
      compute_cost: number
      total_cost: number
      request_count: number
      error_count: number
      input_tokens: number
      output_tokens: number
      cached_tokens: number
      cache_write_tokens: number
      model_count: number
      compute_seconds: number
      model_usage: {
        provider: string
        model: string
        request_count: number
        error_count: number
        input_tokens: number
        output_tokens: number
        cached_tokens: number
        cache_write_tokens: number
        cost: number
        last_at: string
      }[]
      ledger_entries: {
        kind: "llm" | "compute"
        id: string
        cost: number
        [key: string]: unknown
      }[]
    }
  }
  "session.events": {
    params: { projectId: string; sessionId: string }
    query: {
      after?: string | undefined
    }
    result: AsyncIterable<SessionEvent>
  }
  "session.storedMessages": {
    params: { projectId: string; sessionId: string }
    query: {
      limit?: string | undefined
      before?: string | undefined
    }
    result: {
      opencode_session_id: string | null
      seq: number
      messages: StoredMessage[]
    }
  }
  "session.turn": {
    params: { projectId: string; sessionId: string }
    result: {
      turns: {
        turn_token: string
        state: "delivering" | "active"
        message_id: string | null
        opencode_session_id: string | null
        started_at: string | null
        accepted_at: string | null
      }[]
      last_ended?: {
        turn_token: string
        end_reason: string | null
        ended_at: string | null
      } | undefined
    }
  }
  "session.prompts.send": {
    params: { projectId: string; sessionId: string }
    body: {
      client_message_id: string
      message_id: string
      parts: PromptPart[]
      overrides?: {
        agent?: string | undefined
        model?: {
          providerID: string
          modelID: string
        } | undefined
        variant?: string | undefined
        directory?: string | undefined
      } | undefined
      client_sent_at_ms?: number | undefined
      remint_on_delivery?: boolean | undefined
    }
    result: {
      prompt_id: string
      state: string
      message_id: string
      deduped: boolean
    }
  }
  "session.prompts.list": {
    params: { projectId: string; sessionId: string }
    result: {
      prompts: {
        prompt_id: string
        client_message_id: string
        message_id: string
        wire_message_id: string
        client_sent_at_ms: number | null
        state: "queued" | "delivering" | "waiting" | "failed"
        reason: "held" | "older_prompt_pending" | "forwarded" | null
        text: string
        attempts: number
        last_error: string | null
        created_at: string
        available_at: string
      }[]
    }
  }
  "session.prompts.cancel": {
    params: { projectId: string; sessionId: string; promptId: string }
    result: {
      removed: boolean
      prompt: {
        prompt_id: string
        client_message_id: string
        message_id: string
        wire_message_id: string
        client_sent_at_ms: number | null
        state: "queued" | "delivering" | "waiting" | "failed"
        reason: "held" | "older_prompt_pending" | "forwarded" | null
        text: string
        attempts: number
        last_error: string | null
        created_at: string
        available_at: string
        parts: PromptPart[]
        overrides: {
          agent?: string | undefined
          model?: {
            providerID: string
            modelID: string
          } | undefined
          variant?: string | undefined
          directory?: string | undefined
        } | null
      } | null
    }
  }
  "session.prompts.retry": {
    params: { projectId: string; sessionId: string; promptId: string }
    result: {
      prompt: {
        prompt_id: string
        client_message_id: string
        message_id: string
        wire_message_id: string
        client_sent_at_ms: number | null
        state: "queued" | "delivering" | "waiting" | "failed"
        reason: "held" | "older_prompt_pending" | "forwarded" | null
        text: string
        attempts: number
        last_error: string | null
        created_at: string
        available_at: string
      }
    }
  }
  "session.prompts.hold": {
    params: { projectId: string; sessionId: string }
    body: {
      held: boolean
    }
    result: {
      held: boolean
    }
  }
  "session.scope": {
    params: { projectId: string; sessionId: string }
    result: SessionScope
  }
  "session.rescope": {
    params: { projectId: string; sessionId: string }
    body: {
      secrets?: string[] | undefined
      connector_bindings?: Record<string, {
          connection_id: string
        }> | undefined
      require_connectors?: string[] | undefined
    }
    result: SessionScope
  }
  "session.changeModel": {
    params: { projectId: string; sessionId: string }
    body: {
      opencode_model: string
    }
    result: {
      opencode_model: string
      applied_live: boolean
      push_failed?: boolean | undefined
      detail?: string | undefined
    }
  }
  "session.configState": {
    params: { projectId: string; sessionId: string }
    result: {
      base_ref: string
      running_etag: string | null
      latest_etag: string | null
      commit_sha: string | null
      stale: boolean | null
      sandbox_reachable: boolean
    }
  }
  "session.reloadConfig": {
    params: { projectId: string; sessionId: string }
    body: {
      refresh_repo?: boolean | undefined
      force?: boolean | undefined
    }
    result: {
      applied: boolean
      previous_etag: string | null
      etag: string | null
      repo_refreshed: boolean
      commit_sha: string | null
      agent_files?: string[] | undefined
      opencode_reload?: "disposed" | "restarted" | "kept-old" | null | undefined
      turn_ended?: boolean | undefined
      reason?: string | undefined
      detail: string
    }
  }
  "session.question": {
    params: { projectId: string; sessionId: string }
    result: {
      question: Record<string, unknown> | null
      permissions: Record<string, unknown>[]
    }
  }
  "session.answerQuestion": {
    params: { projectId: string; sessionId: string }
    body: {
      answers: string[][]
      request_id?: string | undefined
    }
    result: {
      ok: true
      delivery: "queued" | "runtime"
    }
  }
  "session.previews": {
    params: { projectId: string; sessionId: string }
    result: {
      candidates: {
        id: string
        label: string
        port: number
        path: string
        status: "online" | "offline" | "unknown"
        source: string
      }[]
    }
  }
  "session.publicShares.list": {
    params: { projectId: string; sessionId: string }
    result: {
      shares: PublicShare[]
    }
  }
  "session.publicShares.create": {
    params: { projectId: string; sessionId: string }
    body: {
      file?: {
        path: string
        label?: string | undefined
      } | undefined
      preview?: {
        port?: number | undefined
        path?: string | undefined
        url?: string | undefined
        label?: string | undefined
      } | undefined
      preview_id?: string | undefined
      mode?: "view" | "interactive" | undefined
      transcript?: boolean | undefined
      label?: string | undefined
      expires_at?: string | null | undefined
    }
    result: {
      share: PublicShare
    }
  }
  "session.publicShares.revoke": {
    params: { projectId: string; sessionId: string; shareId: string }
    result: {
      share: PublicShare
    }
  }
  "sessionShares.get": {
    params: { token: string }
    result: {
      share: {
        share_id: string
        session_id: string
        project_id: string
        resource_type: "preview" | "file"
        label: string
        sandbox_status: string | null
        expires_at: string | null
      }
      session: {
        session_id: string
        title: string | null
        status: "queued" | "branching" | "provisioning" | "running" | "stopped" | "failed" | "completed"
        created_at: string
        updated_at: string
      }
    }
  }
  "sessionShares.messages": {
    params: { token: string }
    result: Transcript
  }
  "system.health": {
    result: Health
  }
  "system.openapi": {
    result: string
  }
  "system.metrics": {
    result: string
  }
  "system.docs": {
    result: string
  }
  "system.docsAsset": {
    params: { file: string }
    result: Blob
  }
  "system.schema": {
    params: { file: string }
    result: string
  }
  "web.home": {
    result: string
  }
  "web.screen": {
    params: { section: string }
    result: string
  }
  "web.deepScreen": {
    params: { section: string; rest: string }
    result: string
  }
  "web.cliAuthorize": {
    query: {
      callback?: string | undefined
      state?: string | undefined
      label?: string | undefined
    }
    result: string
  }
  "web.asset": {
    params: { file: string }
    result: Blob
  }
}

export type OperationId = keyof Operations

/** Method and path of each operation: all the client needs at run time. */
export const routes: { readonly [Id in OperationId]: string } = {
  "accountInvites.describe": "GET /v1/account-invites/:inviteId",
  "accountInvites.accept": "POST /v1/account-invites/:inviteId/accept",
  "accountInvites.decline": "POST /v1/account-invites/:inviteId/decline",
  "accounts.me": "GET /v1/accounts/me",
  "accounts.tokens.list": "GET /v1/accounts/tokens",
  "accounts.tokens.create": "POST /v1/accounts/tokens",
  "accounts.tokens.revoke": "DELETE /v1/accounts/tokens/:tokenId",
  "accounts.list": "GET /v1/accounts",
  "accounts.create": "POST /v1/accounts",
  "accounts.get": "GET /v1/accounts/:accountId",
  "accounts.updateName": "PATCH /v1/accounts/:accountId",
  "accounts.leave": "POST /v1/accounts/:accountId/leave",
  "accounts.branding.get": "GET /v1/accounts/:accountId/branding",
  "accounts.branding.update": "PUT /v1/accounts/:accountId/branding",
  "accounts.branding.uploadAsset": "POST /v1/accounts/:accountId/branding/assets/:kind",
  "accounts.branding.removeAsset": "DELETE /v1/accounts/:accountId/branding/assets/:kind",
  "accounts.branding.reset": "DELETE /v1/accounts/:accountId/branding",
  "accounts.branding.file": "GET /v1/branding/:accountId/:file{[0-9a-f]{64}\\.[a-z]{3,4}}",
  "accounts.members": "GET /v1/accounts/:accountId/members",
  "accounts.invite": "POST /v1/accounts/:accountId/members",
  "accounts.updateMemberRole": "PATCH /v1/accounts/:accountId/members/:userId",
  "accounts.removeMember": "DELETE /v1/accounts/:accountId/members/:userId",
  "accounts.invites": "GET /v1/accounts/:accountId/invites",
  "accounts.cancelInvite": "DELETE /v1/accounts/:accountId/invites/:inviteId",
  "accounts.resendInvite": "POST /v1/accounts/:accountId/invites/:inviteId/resend",
  "accounts.audit.log": "GET /v1/accounts/:accountId/audit",
  "accounts.audit.export": "GET /v1/accounts/:accountId/audit/export",
  "audit.instanceLog": "GET /v1/audit",
  "audit.instanceExport": "GET /v1/audit/export",
  "audit.keys": "GET /v1/audit/keys",
  "accounts.audit.webhooks.list": "GET /v1/accounts/:accountId/audit/webhooks",
  "accounts.audit.webhooks.create": "POST /v1/accounts/:accountId/audit/webhooks",
  "accounts.audit.webhooks.update": "PATCH /v1/accounts/:accountId/audit/webhooks/:webhookId",
  "accounts.audit.webhooks.remove": "DELETE /v1/accounts/:accountId/audit/webhooks/:webhookId",
  "accounts.audit.webhooks.rotateSecret": "POST /v1/accounts/:accountId/audit/webhooks/:webhookId/rotate-secret",
  "accounts.audit.webhooks.replay": "POST /v1/accounts/:accountId/audit/webhooks/:webhookId/replay",
  "auth.signUp": "POST /v1/auth/signup",
  "auth.signInWithPassword": "POST /v1/auth/sign-in/password",
  "auth.sendMagicLink": "POST /v1/auth/sign-in/magic-link",
  "auth.verifyOtp": "POST /v1/auth/verify-otp",
  "auth.signInWithProvider": "POST /v1/auth/sign-in/oauth",
  "auth.providerCallback": "GET /v1/auth/callback/:provider",
  "auth.exchangeCode": "POST /v1/auth/oauth/exchange",
  "auth.refresh": "POST /v1/auth/refresh",
  "auth.resetPassword": "POST /v1/auth/password/reset",
  "auth.updatePassword": "POST /v1/auth/password/update",
  "auth.user": "GET /v1/auth/user",
  "auth.signOut": "POST /v1/auth/sign-out",
  "auth.firstRun": "POST /v1/auth/first-run",
  "changeRequests.list": "GET /v1/projects/:projectId/change-requests",
  "changeRequests.get": "GET /v1/projects/:projectId/change-requests/:crId",
  "changeRequests.diff": "GET /v1/projects/:projectId/change-requests/:crId/diff",
  "changeRequests.mergePreview": "GET /v1/projects/:projectId/change-requests/:crId/merge-preview",
  "changeRequests.open": "POST /v1/projects/:projectId/change-requests",
  "changeRequests.edit": "PATCH /v1/projects/:projectId/change-requests/:crId",
  "changeRequests.merge": "POST /v1/projects/:projectId/change-requests/:crId/merge",
  "changeRequests.close": "POST /v1/projects/:projectId/change-requests/:crId/close",
  "changeRequests.reopen": "POST /v1/projects/:projectId/change-requests/:crId/reopen",
  "changeRequests.requestChanges": "POST /v1/projects/:projectId/change-requests/:crId/request-changes",
  "github.getInstallation": "GET /v1/projects/github/installation",
  "github.listInstallations": "GET /v1/projects/github/installations",
  "github.saveInstallation": "POST /v1/projects/github/installation",
  "github.deleteInstallation": "DELETE /v1/projects/github/installation",
  "github.listRepositories": "GET /v1/projects/github/repositories",
  "github.listRepositoryBranches": "GET /v1/projects/github/repository-branches",
  "github.linkRepository": "POST /v1/projects/link-repository",
  "iam.listAssignments": "GET /v1/accounts/:accountId/iam/assignments",
  "iam.createAssignment": "POST /v1/accounts/:accountId/iam/assignments",
  "iam.revokeAssignment": "DELETE /v1/accounts/:accountId/iam/assignments/:assignmentId",
  "iam.listPermissions": "GET /v1/accounts/:accountId/iam/permissions",
  "iam.roles.list": "GET /v1/accounts/:accountId/iam/roles",
  "iam.roles.permissions": "GET /v1/accounts/:accountId/iam/roles/:roleId/permissions",
  "iam.roles.create": "POST /v1/accounts/:accountId/iam/roles",
  "iam.roles.update": "PATCH /v1/accounts/:accountId/iam/roles/:roleId",
  "iam.roles.setPermissions": "PUT /v1/accounts/:accountId/iam/roles/:roleId/permissions",
  "iam.roles.remove": "DELETE /v1/accounts/:accountId/iam/roles/:roleId",
  "iam.roles.usage": "GET /v1/accounts/:accountId/iam/roles/:roleId/usage",
  "iam.groups.list": "GET /v1/accounts/:accountId/iam/groups",
  "iam.groups.create": "POST /v1/accounts/:accountId/iam/groups",
  "iam.groups.get": "GET /v1/accounts/:accountId/iam/groups/:groupId",
  "iam.groups.update": "PATCH /v1/accounts/:accountId/iam/groups/:groupId",
  "iam.groups.remove": "DELETE /v1/accounts/:accountId/iam/groups/:groupId",
  "iam.groups.members": "GET /v1/accounts/:accountId/iam/groups/:groupId/members",
  "iam.groups.addMembers": "POST /v1/accounts/:accountId/iam/groups/:groupId/members",
  "iam.groups.removeMember": "DELETE /v1/accounts/:accountId/iam/groups/:groupId/members/:userId",
  "iam.serviceAccounts.list": "GET /v1/accounts/:accountId/iam/service-accounts",
  "iam.serviceAccounts.create": "POST /v1/accounts/:accountId/iam/service-accounts",
  "iam.serviceAccounts.disable": "POST /v1/accounts/:accountId/iam/service-accounts/:serviceAccountId/disable",
  "iam.serviceAccounts.remove": "DELETE /v1/accounts/:accountId/iam/service-accounts/:serviceAccountId",
  "iam.agentIdentities.list": "GET /v1/accounts/:accountId/iam/agent-identities",
  "iam.explain": "POST /v1/accounts/:accountId/iam/explain",
  "models.chatCompletions": "POST /v1/llm/chat/completions",
  "models.messages": "POST /v1/llm/messages",
  "models.messagesBelow": "POST /v1/llm/v1/messages",
  "models.responses": "POST /v1/llm/responses",
  "models.embeddings": "POST /v1/llm/embeddings",
  "models.playground": "POST /v1/projects/:projectId/gateway/playground/stream",
  "models.list": "GET /v1/llm/models",
  "models.health": "GET /v1/llm/health",
  "gateway.routing.get": "GET /v1/projects/:projectId/gateway/routing-policy",
  "gateway.routing.set": "PUT /v1/projects/:projectId/gateway/routing-policy",
  "gateway.routing.reset": "DELETE /v1/projects/:projectId/gateway/routing-policy",
  "gateway.routing.preview": "POST /v1/projects/:projectId/gateway/routing-policy/preview",
  "projects.modelAccess": "GET /v1/projects/:projectId/model-access",
  "projects.setModelAccess": "PUT /v1/projects/:projectId/model-access",
  "projects.llmCatalog": "GET /v1/projects/:projectId/llm-catalog",
  "projects.modelPicker": "GET /v1/projects/:projectId/model-picker",
  "modelDefaults.get": "GET /v1/projects/:projectId/model-defaults",
  "modelDefaults.set": "PUT /v1/projects/:projectId/model-defaults",
  "modelDefaults.clear": "DELETE /v1/projects/:projectId/model-defaults",
  "operator.catalog.get": "GET /v1/operator/catalog",
  "operator.catalog.refresh": "POST /v1/operator/catalog/refresh",
  "billing.sessionCosts.export": "GET /v1/usage/session-costs.csv",
  "billing.sessionCosts.list": "GET /v1/usage/session-costs",
  "gateway.logs": "GET /v1/projects/:projectId/gateway/logs",
  "gateway.log": "GET /v1/projects/:projectId/gateway/logs/:logId",
  "gateway.overview": "GET /v1/projects/:projectId/gateway/overview",
  "gateway.series": "GET /v1/projects/:projectId/gateway/series",
  "gateway.breakdown": "GET /v1/projects/:projectId/gateway/breakdown",
  "gateway.sessions": "GET /v1/projects/:projectId/gateway/sessions",
  "gateway.errors": "GET /v1/projects/:projectId/gateway/errors",
  "gateway.budgets": "GET /v1/projects/:projectId/gateway/budgets",
  "gateway.setBudget": "PUT /v1/projects/:projectId/gateway/budgets",
  "gateway.deleteBudget": "DELETE /v1/projects/:projectId/gateway/budgets/:budgetId",
  "gateway.keys": "GET /v1/projects/:projectId/gateway/keys",
  "gateway.createKey": "POST /v1/projects/:projectId/gateway/keys",
  "gateway.revokeKey": "DELETE /v1/projects/:projectId/gateway/keys/:keyId",
  "gateway.retention": "GET /v1/projects/:projectId/gateway/retention",
  "gateway.setRetention": "PUT /v1/projects/:projectId/gateway/retention",
  "gateway.playground": "POST /v1/projects/:projectId/gateway/playground",
  "oauth.discovery": "GET /.well-known/oauth-authorization-server",
  "oauth.discoveryBelow": "GET /v1/oauth/.well-known/oauth-authorization-server",
  "oauth.authorize": "GET /v1/oauth/authorize",
  "oauth.consentRequest": "GET /v1/oauth/authorize/consent/:requestId",
  "oauth.decideConsent": "POST /v1/oauth/authorize/consent",
  "oauth.token": "POST /v1/oauth/token",
  "oauth.revoke": "POST /v1/oauth/revoke",
  "oauth.userinfo": "GET /v1/oauth/userinfo",
  "oauth.clients.list": "GET /v1/accounts/:accountId/iam/oauth-clients",
  "oauth.clients.create": "POST /v1/accounts/:accountId/iam/oauth-clients",
  "oauth.clients.get": "GET /v1/accounts/:accountId/iam/oauth-clients/:clientId",
  "oauth.clients.update": "PATCH /v1/accounts/:accountId/iam/oauth-clients/:clientId",
  "oauth.clients.remove": "DELETE /v1/accounts/:accountId/iam/oauth-clients/:clientId",
  "oauth.clients.rotateSecret": "POST /v1/accounts/:accountId/iam/oauth-clients/:clientId/rotate-secret",
  "operator.health": "GET /v1/operator/health",
  "operator.jobs.list": "GET /v1/operator/jobs",
  "operator.jobs.dead": "GET /v1/operator/jobs/dead",
  "operator.jobs.retry": "POST /v1/operator/jobs/dead/:jobId/retry",
  "operator.jobs.discard": "DELETE /v1/operator/jobs/dead/:jobId",
  "operator.settings.get": "GET /v1/operator/settings",
  "operator.settings.update": "PATCH /v1/operator/settings",
  "operator.mailbox": "GET /v1/operator/mailbox",
  "operator.users.list": "GET /v1/operator/users",
  "operator.sandboxes.list": "GET /v1/operator/sandboxes",
  "operator.sandboxes.destroy": "DELETE /v1/operator/sandboxes/:sandboxId",
  "system.connectStatus": "GET /v1/connectors/connect-status",
  "pages.stylesheet": "GET /pages.css",
  "pages.firstRun": "GET /first-run",
  "pages.claim": "POST /first-run",
  "pages.signIn": "GET /sign-in",
  "pages.signInWithPassword": "POST /sign-in",
  "pages.signInWithProvider": "GET /sign-in/with/:provider",
  "pages.returnFromProvider": "GET /sign-in/returned",
  "pages.sendCode": "POST /sign-in/email",
  "pages.signInWithCode": "POST /sign-in/code",
  "pages.signInLink": "GET /sign-in/link",
  "pages.signInWithLink": "POST /sign-in/link",
  "pages.signUp": "GET /sign-up",
  "pages.register": "POST /sign-up",
  "pages.confirmLink": "GET /sign-up/confirm",
  "pages.confirm": "POST /sign-up/confirm",
  "pages.resetPassword": "GET /password/reset",
  "pages.sendReset": "POST /password/reset",
  "pages.newPassword": "GET /password/new",
  "pages.setPassword": "POST /password/new",
  "pages.signOut": "POST /sign-out",
  "pages.invite": "GET /invite/:inviteId",
  "pages.answerInvite": "POST /invite/:inviteId",
  "pages.consent": "GET /oauth/consent",
  "pages.answerConsent": "POST /oauth/consent",
  "pages.accessToken": "POST /session/access",
  "pages.mailbox": "GET /dev/mailbox",
  "access.list": "GET /v1/projects/:projectId/access",
  "access.invite": "POST /v1/projects/:projectId/access/invite",
  "access.update": "PUT /v1/projects/:projectId/access/:userId",
  "access.revoke": "DELETE /v1/projects/:projectId/access/:userId",
  "access.pendingInvites": "GET /v1/projects/:projectId/access/pending-invites",
  "access.resendInvite": "POST /v1/projects/:projectId/access/pending-invites/:inviteId/resend",
  "access.revokeInvite": "DELETE /v1/projects/:projectId/access/pending-invites/:inviteId",
  "access.request": "POST /v1/projects/:projectId/access-requests",
  "access.requests": "GET /v1/projects/:projectId/access-requests",
  "access.approveRequest": "POST /v1/projects/:projectId/access-requests/:requestId/approve",
  "access.rejectRequest": "POST /v1/projects/:projectId/access-requests/:requestId/reject",
  "access.groupGrants": "GET /v1/projects/:projectId/group-grants",
  "access.attachGroupGrant": "POST /v1/projects/:projectId/group-grants",
  "access.updateGroupGrant": "PATCH /v1/projects/:projectId/group-grants/:groupId",
  "access.detachGroupGrant": "DELETE /v1/projects/:projectId/group-grants/:groupId",
  "access.resourceGrants.list": "GET /v1/projects/:projectId/resource-grants",
  "access.resourceGrants.create": "POST /v1/projects/:projectId/resource-grants",
  "access.resourceGrants.remove": "DELETE /v1/projects/:projectId/resource-grants/:grantId",
  "tokens.list": "GET /v1/projects/:projectId/cli-token",
  "tokens.create": "POST /v1/projects/:projectId/cli-token",
  "tokens.revoke": "DELETE /v1/projects/:projectId/cli-token/:tokenId",
  "projects.list": "GET /v1/projects",
  "projects.get": "GET /v1/projects/:projectId",
  "projects.detail": "GET /v1/projects/:projectId/detail",
  "projects.create": "POST /v1/projects",
  "projects.createRepo": "POST /v1/projects/create-repo",
  "projects.provision": "POST /v1/projects/provision",
  "projects.update": "PATCH /v1/projects/:projectId",
  "projects.archive": "DELETE /v1/projects/:projectId",
  "project.onboardingComplete": "PATCH /v1/projects/:projectId/onboarding",
  "project.validateManifest": "POST /v1/projects/:projectId/manifest/validate",
  "project.gitToken": "POST /v1/projects/:projectId/git-token",
  "gitHosting.cloneCredential": "GET /v1/projects/:projectId/git/clone-credential",
  "project.setAgentScope": "PUT /v1/projects/:projectId/agents/:agentName/scope",
  "project.setDefaultAgent": "PUT /v1/projects/:projectId/default-agent",
  "project.updateFeatureFlag": "PATCH /v1/projects/:projectId/features",
  "project.updateExperimentalFeature": "PATCH /v1/projects/:projectId/experimental",
  "files.list": "GET /v1/projects/:projectId/files",
  "files.read": "GET /v1/projects/:projectId/files/content",
  "files.search": "GET /v1/projects/:projectId/files/search",
  "files.archive": "GET /v1/projects/:projectId/files/archive",
  "files.history": "GET /v1/projects/:projectId/files/history",
  "git.commits": "GET /v1/projects/:projectId/commits",
  "git.commit": "GET /v1/projects/:projectId/commits/:sha",
  "git.commitDiff": "GET /v1/projects/:projectId/commits/:sha/diff",
  "git.branches": "GET /v1/projects/:projectId/branches",
  "git.versionDiff": "GET /v1/projects/:projectId/version-diff",
  "gitHosting.infoRefs": "GET /v1/git/:projectId/info/refs",
  "gitHosting.uploadPack": "POST /v1/git/:projectId/git-upload-pack",
  "gitHosting.receivePack": "POST /v1/git/:projectId/git-receive-pack",
  "sandbox.list": "GET /v1/projects/:projectId/sandboxes",
  "sandbox.templates": "GET /v1/projects/:projectId/sandbox-templates",
  "sandbox.snapshots": "GET /v1/projects/:projectId/snapshots",
  "sandbox.health": "GET /v1/projects/:projectId/sandbox-health",
  "sandbox.rebuildSnapshot": "POST /v1/projects/:projectId/snapshots/rebuild",
  "sandbox.fixWithAgent": "POST /v1/projects/:projectId/snapshots/fix-with-agent",
  "sandbox.buildLog": "GET /v1/projects/:projectId/snapshots/builds/:buildId/log",
  "sandbox.createTemplate": "POST /v1/projects/:projectId/sandbox-templates",
  "sandbox.updateTemplate": "PATCH /v1/projects/:projectId/sandbox-templates/:templateId",
  "sandbox.removeTemplate": "DELETE /v1/projects/:projectId/sandbox-templates/:templateId",
  "sandbox.buildTemplate": "POST /v1/projects/:projectId/sandbox-templates/:templateId/build",
  "sandbox.setProvider": "PATCH /v1/projects/:projectId/sandbox-provider",
  "sandbox.transition": "GET /v1/projects/:projectId/sandbox-provider/transition",
  "sandbox.egress.get": "GET /v1/projects/:projectId/sandbox-egress",
  "sandbox.egress.update": "PUT /v1/projects/:projectId/sandbox-egress",
  "sandbox.egress.log": "GET /v1/projects/:projectId/sandbox-egress/log",
  "sandboxProxy.get": "GET /v1/p/:sandboxId{sb[0-9a-z]{18}}/:port/:path{.*}",
  "sandboxProxy.post": "POST /v1/p/:sandboxId{sb[0-9a-z]{18}}/:port/:path{.*}",
  "sandboxProxy.put": "PUT /v1/p/:sandboxId{sb[0-9a-z]{18}}/:port/:path{.*}",
  "sandboxProxy.patch": "PATCH /v1/p/:sandboxId{sb[0-9a-z]{18}}/:port/:path{.*}",
  "sandboxProxy.delete": "DELETE /v1/p/:sandboxId{sb[0-9a-z]{18}}/:port/:path{.*}",
  "sandboxProxy.enter": "GET /v1/p/:sandboxId{sb[0-9a-z]{18}}/:port",
  "sandboxProxy.signIn": "POST /v1/p/auth",
  "sandboxProxy.config": "GET /v1/p/config",
  "sandboxShares.list": "GET /v1/p/share",
  "sandboxShares.create": "POST /v1/p/share",
  "sandboxShares.revoke": "DELETE /v1/p/share/:token",
  "publicShares.describe": "GET /v1/p/public-share/:token{[0-9A-Za-z]{32}}",
  "publicShares.get": "GET /v1/p/public-share/:token{[0-9A-Za-z]{32}}/:port{[0-9]{1,5}}/:path{.*}",
  "publicShares.post": "POST /v1/p/public-share/:token{[0-9A-Za-z]{32}}/:port{[0-9]{1,5}}/:path{.*}",
  "publicShares.put": "PUT /v1/p/public-share/:token{[0-9A-Za-z]{32}}/:port{[0-9]{1,5}}/:path{.*}",
  "publicShares.patch": "PATCH /v1/p/public-share/:token{[0-9A-Za-z]{32}}/:port{[0-9]{1,5}}/:path{.*}",
  "publicShares.delete": "DELETE /v1/p/public-share/:token{[0-9A-Za-z]{32}}/:port{[0-9]{1,5}}/:path{.*}",
  "publicShares.file": "GET /v1/p/public-share/:token{[0-9A-Za-z]{32}}/file",
  "secrets.list": "GET /v1/projects/:projectId/secrets",
  "secrets.upsert": "POST /v1/projects/:projectId/secrets",
  "secrets.setStrategy": "PUT /v1/projects/:projectId/secrets/:identifier/strategy",
  "secrets.remove": "DELETE /v1/projects/:projectId/secrets/:identifier",
  "secrets.setPersonal": "PUT /v1/projects/:projectId/secrets/:name/personal",
  "secrets.removePersonal": "DELETE /v1/projects/:projectId/secrets/:name/personal",
  "secrets.setGitCredential": "PUT /v1/projects/:projectId/git-credential",
  "sessions.list": "GET /v1/projects/:projectId/sessions",
  "sessions.create": "POST /v1/projects/:projectId/sessions",
  "sessions.warm": "POST /v1/projects/:projectId/sessions/warm",
  "session.get": "GET /v1/projects/:projectId/sessions/:sessionId",
  "session.update": "PATCH /v1/projects/:projectId/sessions/:sessionId",
  "session.delete": "DELETE /v1/projects/:projectId/sessions/:sessionId",
  "session.start": "POST /v1/projects/:projectId/sessions/:sessionId/start",
  "session.restart": "POST /v1/projects/:projectId/sessions/:sessionId/restart",
  "session.stop": "POST /v1/projects/:projectId/sessions/:sessionId/stop",
  "session.setSharing": "PUT /v1/projects/:projectId/sessions/:sessionId/sharing",
  "session.commit": "POST /v1/projects/:projectId/sessions/:sessionId/commit-push",
  "session.transcript": "GET /v1/projects/:projectId/sessions/:sessionId/transcript",
  "session.audit": "GET /v1/projects/:projectId/sessions/:sessionId/audit",
  "session.cost": "GET /v1/usage/session-costs/:sessionId",
  "session.events": "GET /v1/projects/:projectId/sessions/:sessionId/events",
  "session.storedMessages": "GET /v1/projects/:projectId/sessions/:sessionId/messages",
  "session.turn": "GET /v1/projects/:projectId/sessions/:sessionId/turn",
  "session.prompts.send": "POST /v1/projects/:projectId/sessions/:sessionId/prompts",
  "session.prompts.list": "GET /v1/projects/:projectId/sessions/:sessionId/prompts",
  "session.prompts.cancel": "DELETE /v1/projects/:projectId/sessions/:sessionId/prompts/:promptId",
  "session.prompts.retry": "POST /v1/projects/:projectId/sessions/:sessionId/prompts/:promptId/retry",
  "session.prompts.hold": "POST /v1/projects/:projectId/sessions/:sessionId/prompts/hold",
  "session.scope": "GET /v1/projects/:projectId/sessions/:sessionId/scope",
  "session.rescope": "PUT /v1/projects/:projectId/sessions/:sessionId/scope",
  "session.changeModel": "PUT /v1/projects/:projectId/sessions/:sessionId/model",
  "session.configState": "GET /v1/projects/:projectId/sessions/:sessionId/config",
  "session.reloadConfig": "POST /v1/projects/:projectId/sessions/:sessionId/reload",
  "session.question": "GET /v1/projects/:projectId/sessions/:sessionId/question",
  "session.answerQuestion": "POST /v1/projects/:projectId/sessions/:sessionId/question",
  "session.previews": "GET /v1/projects/:projectId/sessions/:sessionId/previews",
  "session.publicShares.list": "GET /v1/projects/:projectId/sessions/:sessionId/public-shares",
  "session.publicShares.create": "POST /v1/projects/:projectId/sessions/:sessionId/public-shares",
  "session.publicShares.revoke": "DELETE /v1/projects/:projectId/sessions/:sessionId/public-shares/:shareId",
  "sessionShares.get": "GET /v1/public/session-shares/:token",
  "sessionShares.messages": "GET /v1/public/session-shares/:token/messages",
  "system.health": "GET /v1/health",
  "system.openapi": "GET /v1/openapi.json",
  "system.metrics": "GET /metrics",
  "system.docs": "GET /docs",
  "system.docsAsset": "GET /docs/:file{[a-z0-9.-]+}",
  "system.schema": "GET /schema/:file{[a-z0-9.-]+}",
  "web.home": "GET /",
  "web.screen": "GET /:section{(?:projects|accounts|profile|operator)}",
  "web.deepScreen": "GET /:section{(?:projects|accounts|profile|operator)}/:rest{.*}",
  "web.cliAuthorize": "GET /cli/authorize",
  "web.asset": "GET /assets/:file{[A-Za-z0-9_.-]+}",
}
