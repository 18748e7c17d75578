-- Who there is: people, accounts, groups, service accounts, and the one grant record that binds them to roles.

create table svc.users (
  user_id uuid primary key,
  -- Trimmed and lower-cased; null for nobody: every person has an address.
  email text not null unique check (email = lower(email) and length(email) <= 320),
  email_confirmed_at timestamptz,
  password_hash text,
  app_metadata jsonb not null default '{}',
  user_metadata jsonb not null default '{}',
  -- Whoever runs this instance; the first person becomes one.
  is_operator boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_sign_in_at timestamptz
);

create table svc.accounts (
  account_id uuid primary key,
  name text not null check (length(name) between 1 and 255),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table svc.projects (
  project_id uuid primary key,
  account_id uuid not null references svc.accounts,
  name text not null,
  status text not null default 'active' check (status in ('provisioning', 'active', 'archived')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index projects_account on svc.projects (account_id, created_at);

create table svc.groups (
  group_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  name text not null check (length(name) between 1 and 128),
  description text,
  source text not null default 'manual' check (source in ('manual', 'scim')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, name)
);

create table svc.group_members (
  group_id uuid not null references svc.groups on delete cascade,
  user_id uuid not null references svc.users on delete cascade,
  added_at timestamptz not null default now(),
  added_by uuid,
  primary key (group_id, user_id)
);
create index group_members_user on svc.group_members (user_id);

-- Custom roles. The system roles are code: their ids (`builtin:…`) never stand here.
create table svc.roles (
  role_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  key text not null check (key ~ '^[a-z0-9_]{2,64}$'),
  name text not null check (length(name) between 1 and 128),
  description text,
  resource_type text not null check (resource_type in ('account', 'project')),
  actions text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, key)
);

create table svc.service_accounts (
  service_account_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  name text not null check (length(name) between 1 and 128),
  description text,
  public_prefix text not null,
  secret_hash text not null unique,
  status text not null default 'active' check (status in ('active', 'disabled')),
  -- An agent's own identity: one per project and agent.
  project_id uuid references svc.projects,
  agent_name text,
  last_used_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  unique (account_id, name),
  unique (project_id, agent_name)
);

-- The one grant record: one principal, one role, one scope, at most one object. Membership of an account is an
-- assignment of one of its system roles at account scope.
create table svc.assignments (
  assignment_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  principal_type text not null check (principal_type in ('user', 'group', 'service_account', 'pending')),
  principal_id uuid not null,
  -- `builtin:owner` and the like, or the id of a custom role.
  role_id text not null,
  scope_type text not null check (scope_type in ('account', 'project')),
  -- The project; null at account scope.
  scope_id uuid,
  object_type text check (object_type in ('agent', 'skill', 'secret', 'app', 'trigger')),
  object_id text,
  expires_at timestamptz,
  -- When the expiry was written to the audit log.
  expiry_recorded_at timestamptz,
  granted_by uuid,
  source text not null default 'manual' check (source in ('manual', 'scim', 'sso', 'invite', 'system')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((scope_type = 'project') = (scope_id is not null)),
  check ((object_type is null) = (object_id is null)),
  check (object_type is null or scope_type = 'project'),
  unique nulls not distinct (account_id, principal_type, principal_id, role_id, scope_type, scope_id, object_type, object_id)
);
create index assignments_principal on svc.assignments (principal_id, account_id);
create index assignments_scope on svc.assignments (scope_id) where scope_id is not null;

-- Tokens of the `svc_pat_` family: personal access tokens, project API keys, session tokens; and gateway keys.
create table svc.tokens (
  token_id uuid primary key,
  kind text not null check (kind in ('pat', 'project', 'session', 'gateway')),
  account_id uuid not null references svc.accounts on delete cascade,
  -- Whose rights it carries: the minting user, or the service account that launched a session.
  user_id uuid references svc.users on delete cascade,
  service_account_id uuid references svc.service_accounts on delete cascade,
  project_id uuid references svc.projects,
  session_id uuid,
  -- `{agent, connectors, svc_cli, env}` of a session token.
  agent_grant jsonb,
  -- A trigger's launcher holds every project permission: the grant alone decides.
  is_automation boolean not null default false,
  name text not null check (length(name) between 1 and 255),
  public_key text not null,
  secret_hash text not null unique,
  status text not null default 'active' check (status in ('active', 'revoked')),
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index tokens_account on svc.tokens (account_id, created_at desc);
create index tokens_user on svc.tokens (user_id);
create index tokens_project on svc.tokens (project_id) where project_id is not null;
create index tokens_session on svc.tokens (session_id) where session_id is not null;
