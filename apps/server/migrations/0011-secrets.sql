-- Secrets of projects, sealed; and requests for access to projects.

create table svc.secrets (
  secret_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  project_id uuid not null references svc.projects,
  identifier text not null check (identifier ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$'),
  -- The environment variable. Several secrets may be for one.
  name text not null check (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$'),
  sealed_value bytea not null,
  strategy text not null check (strategy in ('runtime', 'egress', 'broker', 'denied')),
  consumer text check (consumer in ('sandbox', 'network', 'broker', 'llm_gateway', 'connector', 'git_proxy')),
  egress_policy jsonb,
  handle_prefix text,
  -- Something of the platform depends on how it is delivered.
  strategy_locked boolean not null default false,
  -- It was in sandboxes as plain text and has the same value still.
  requires_rotation boolean not null default false,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_rotated_at timestamptz,
  unique (project_id, identifier),
  check ((strategy = 'denied') = (consumer is null)),
  check ((strategy = 'runtime') = (consumer is not distinct from 'sandbox')),
  check ((strategy = 'egress') = (consumer is not distinct from 'network'))
);
create index secrets_name on svc.secrets (project_id, name, created_at desc);

-- Somebody's own value of an environment variable, in their own sessions only.
create table svc.personal_secrets (
  personal_secret_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  project_id uuid not null references svc.projects,
  user_id uuid not null references svc.users on delete cascade,
  name text not null check (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$'),
  sealed_value bytea not null,
  active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, user_id, name)
);
create index personal_secrets_user on svc.personal_secrets (user_id);

create table svc.access_requests (
  request_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  project_id uuid not null references svc.projects,
  requester_user_id uuid not null references svc.users on delete cascade,
  message text check (length(message) <= 2000),
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  reviewed_by uuid,
  reviewed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- One person waits at most once per project.
create unique index access_requests_pending on svc.access_requests (project_id, requester_user_id)
  where status = 'pending';
create index access_requests_newest on svc.access_requests (project_id, request_id desc) where status = 'pending';
