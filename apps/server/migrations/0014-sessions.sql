-- Sessions, their queue of prompts, their turns and their log.

create table svc.sessions (
  session_id uuid primary key,
  account_id uuid not null references svc.accounts,
  project_id uuid not null references svc.projects,
  branch_name text not null,
  base_ref text not null,
  base_sha text,
  sandbox_provider text not null,
  sandbox_slug text not null default 'default',
  agent_name text not null,
  runtime text not null check (runtime in ('opencode', 'pi')),
  repository_access boolean not null default true,
  -- `provider/model`, and where it came from.
  model text,
  model_source text,
  -- The conversation inside the runtime.
  conversation_id text,
  conversations jsonb not null default '[]',
  custom_name text,
  generated_name text,
  status text not null check (status in
    ('queued', 'branching', 'provisioning', 'running', 'stopped', 'failed', 'completed')),
  error text,
  -- `{category, message, retryable}` of a boot that gave up.
  failure jsonb,
  -- One per boot: what a later step of an older boot finds changed, it leaves alone.
  operation_id uuid,
  booting_since timestamptz,
  ready_at timestamptz,
  metadata jsonb not null default '{}',
  owner_type text check (owner_type in ('user', 'service_account')),
  owner_id uuid,
  created_by text,
  visibility text not null default 'private' check (visibility in ('private', 'project', 'restricted')),
  shared_members text[] not null default '{}',
  shared_groups text[] not null default '{}',
  origin text not null check (origin in ('user', 'trigger', 'schedule', 'backend', 'system')),
  spawned_by uuid,
  is_warm boolean not null default false,
  -- Null: no narrowing.
  secrets_allowlist text[],
  runtime_context jsonb,
  connector_bindings jsonb,
  inherit_unbound boolean not null default true,
  required_connectors text[] not null default '{}',
  -- The agent configuration that runs.
  config_etag text,
  config_commit text,
  queue_held boolean not null default false,
  -- When the machine is parked unless something happens before.
  idle_at timestamptz,
  last_turn_at timestamptz,
  last_activity_at timestamptz,
  deleted_at timestamptz,
  deleted_by text,
  created_at timestamptz(3) not null default now(),
  -- To the millisecond: lists go on from it.
  updated_at timestamptz(3) not null default now()
);
create index sessions_project on svc.sessions (project_id, updated_at desc, session_id desc);
create index sessions_active on svc.sessions (account_id, project_id)
  where status in ('queued', 'branching', 'provisioning', 'running');
create index sessions_idle on svc.sessions (idle_at) where status = 'running';

-- A prompt is delivered once: `delivering` names the turn before the runtime hears of it.
create table svc.session_prompts (
  prompt_id uuid primary key,
  session_id uuid not null references svc.sessions on delete cascade,
  -- Lowest first.
  position bigint not null,
  client_message_id text not null,
  message_id text not null,
  wire_message_id text not null,
  remint boolean not null default false,
  client_sent_at_ms bigint,
  -- JSON as text: prompts may hold characters that jsonb refuses.
  parts text not null,
  overrides text,
  preview text not null,
  origin text not null default 'client',
  sent_by text,
  state text not null default 'queued' check (state in ('queued', 'delivering', 'delivered', 'failed', 'cancelled')),
  turn_token uuid,
  attempts integer not null default 0,
  last_error text,
  available_at timestamptz not null default now(),
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  unique (session_id, client_message_id)
);
create index session_prompts_waiting on svc.session_prompts (session_id, position)
  where state in ('queued', 'delivering', 'failed');

create table svc.session_turns (
  turn_token uuid primary key,
  session_id uuid not null references svc.sessions on delete cascade,
  prompt_id uuid,
  message_id text,
  conversation_id text,
  state text not null check (state in ('delivering', 'active', 'ended')),
  end_reason text check (end_reason in ('completed', 'failed', 'aborted', 'interrupted', 'undelivered')),
  started_at timestamptz not null default now(),
  accepted_at timestamptz,
  ended_at timestamptz
);
create unique index session_turns_open on svc.session_turns (session_id) where state <> 'ended';
create index session_turns_ended on svc.session_turns (session_id, ended_at desc);

-- A log's last number, the first that is still there, and up to where messages and parts hold it. A row of its own,
-- because it changes with every batch of events.
create table svc.session_logs (
  session_id uuid primary key,
  last_seq bigint not null default 0,
  first_seq bigint not null default 1,
  stored_seq bigint not null default 0
) with (fillfactor = 50);

-- The log. `data` is `{type, properties}` as text: output may hold characters that jsonb refuses.
create table svc.session_events (
  session_id uuid not null,
  seq bigint not null,
  data text not null,
  created_at timestamptz not null default now(),
  primary key (session_id, seq)
);

-- Messages and parts as last known, up to `session_logs.stored_seq`.
create table svc.session_messages (
  session_id uuid not null references svc.sessions on delete cascade,
  message_id text not null collate "C",
  conversation_id text not null,
  data text not null,
  primary key (session_id, message_id)
);

create table svc.session_parts (
  session_id uuid not null references svc.sessions on delete cascade,
  message_id text not null collate "C",
  part_id text not null collate "C",
  data text not null,
  primary key (session_id, message_id, part_id)
);

create table svc.session_questions (
  session_id uuid not null references svc.sessions on delete cascade,
  request_id text not null,
  data text not null,
  state text not null default 'asked' check (state in ('asked', 'answered', 'rejected')),
  asked_at timestamptz not null default now(),
  resolved_at timestamptz,
  primary key (session_id, request_id)
);

create table svc.session_public_shares (
  share_id uuid primary key,
  session_id uuid not null references svc.sessions on delete cascade,
  project_id uuid not null references svc.projects,
  account_id uuid not null references svc.accounts,
  resource_type text not null check (resource_type in ('preview', 'file')),
  label text not null,
  port integer,
  path text not null,
  file_path text,
  mode text not null check (mode in ('view', 'interactive')),
  transcript boolean not null default false,
  token_hash text not null unique,
  sealed_token bytea not null,
  created_by text,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index session_public_shares_session on svc.session_public_shares (session_id, created_at desc);
