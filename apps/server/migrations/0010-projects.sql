-- Projects, their repositories and their change requests.

alter table svc.projects
  add column metadata jsonb not null default '{}',
  -- `{<flag>: boolean}`; a flag that is absent has the platform's default.
  add column feature_overrides jsonb not null default '{}',
  add column created_by text,
  add column last_opened_at timestamptz;
create index projects_recent on svc.projects (account_id, updated_at desc, project_id) where status = 'active';

-- Where a project's repository lives. `managed`: a bare repository of ours. `remote`: somebody else's, mirrored here.
create table svc.repositories (
  project_id uuid primary key references svc.projects,
  connection_id uuid not null unique,
  account_id uuid not null references svc.accounts,
  kind text not null check (kind in ('managed', 'remote')),
  provider text not null,
  -- The name people see; of a managed one, unique in its account.
  repo_name text,
  repo_owner text,
  -- Null for a managed repository, whose address is the platform's own.
  remote_url text,
  external_repo_id text,
  default_branch text not null default 'main',
  manifest_path text not null default 'svc.yaml',
  auth_method text not null default 'none',
  installation_id text,
  visibility text,
  status text not null default 'active' check (status in ('active', 'error')),
  sealed_credential bytea,
  last_validated_at timestamptz,
  last_error_code text,
  last_error_message text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((kind = 'remote') = (remote_url is not null))
);
create unique index repositories_managed_name on svc.repositories (account_id, lower(repo_name)) where kind = 'managed';

-- One row per attempt to make a project, written before anything else is made. A project appears in the transaction
-- that finishes its attempt; an attempt that never finished leaves a row, by which its repository is found and removed.
create table svc.provision_attempts (
  attempt_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  idempotency_key text,
  project_id uuid not null unique,
  -- The data directory that holds the repository.
  home text not null,
  status text not null default 'running' check (status in ('running', 'finished')),
  -- While it runs: until when it counts as in flight.
  leased_until timestamptz not null,
  created_at timestamptz not null default now()
);
create unique index provision_attempts_key on svc.provision_attempts (account_id, idempotency_key)
  where idempotency_key is not null;
create index provision_attempts_running on svc.provision_attempts (home, leased_until) where status = 'running';

create table svc.change_requests (
  cr_id uuid primary key,
  account_id uuid not null references svc.accounts,
  project_id uuid not null references svc.projects,
  -- Per project, from 1.
  number integer not null,
  title text not null,
  description text not null default '',
  base_ref text not null,
  head_ref text not null,
  status text not null default 'open' check (status in ('open', 'merged', 'closed')),
  head_commit_sha text,
  base_commit_sha text,
  origin_session_id uuid,
  created_by text not null,
  -- Who is named as co-author of the merge: `{name, email}`.
  author jsonb not null,
  merged_at timestamptz,
  merged_by text,
  merge_commit_sha text,
  closed_at timestamptz,
  closed_by text,
  -- Written before the branch moves: what a merge that was cut off meant to do.
  merge_intent jsonb,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, number)
);
create index change_requests_status on svc.change_requests (project_id, status, number desc);
create index change_requests_intent on svc.change_requests (project_id) where merge_intent is not null;
