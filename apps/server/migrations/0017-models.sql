-- The model gateway: one row per call, what the rows add up to, budgets and how projects choose models.

-- One row per call, always. Money is micro-dollars.
create table svc.model_calls (
  call_id uuid primary key,
  account_id uuid not null,
  project_id uuid not null,
  session_id uuid,
  agent_name text,
  user_id uuid,
  key_id uuid,
  request_id text not null,
  endpoint text not null,
  requested_model text not null,
  resolved_model text not null,
  provider text not null,
  status integer not null,
  ok boolean not null,
  error_code text,
  error_message text,
  latency_ms integer not null,
  first_token_ms integer,
  attempts integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  cached_tokens integer not null,
  cache_write_tokens integer not null,
  svc_micros bigint not null,
  provider_micros bigint not null,
  price_version text,
  streaming boolean not null,
  billing_mode text check (billing_mode in ('credits', 'platform-fee', 'none')),
  -- Failed attempts, whether usage was estimated, what was reserved.
  details jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index model_calls_project on svc.model_calls (project_id, call_id desc);
create index model_calls_failed on svc.model_calls (project_id, call_id desc) where not ok;
create index model_calls_session on svc.model_calls (session_id, call_id desc) where session_id is not null;
create index model_calls_request on svc.model_calls (request_id);

-- What calls add up to, by UTC day; written in the transaction of the rows. `kind` says what `subject` and `detail` are.
create table svc.model_usage (
  project_id uuid not null,
  kind text not null check (kind in
    ('project', 'model', 'session', 'session_model', 'error', 'member', 'agent', 'key', 'latency')),
  day date not null,
  subject text not null default '',
  detail text not null default '',
  requests bigint not null default 0,
  errors bigint not null default 0,
  svc_micros bigint not null default 0,
  provider_micros bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  last_at timestamptz,
  primary key (project_id, kind, day, subject, detail)
) with (fillfactor = 80);
create index model_usage_session on svc.model_usage (subject, kind) where kind in ('session', 'session_model');

create table svc.model_budgets (
  budget_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  project_id uuid not null references svc.projects,
  scope text not null check (scope in ('project', 'member', 'agent', 'session', 'key')),
  -- A user, an agent's name, a session or a key; empty for the project's own.
  subject text not null default '',
  limit_micros bigint not null check (limit_micros > 0),
  period text not null check (period in ('day', 'week', 'month')),
  action text not null check (action in ('block', 'warn')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, scope, subject)
);

-- What a period of a budget has spent, and what nodes hold of it for calls to come. Their sum never passes the limit.
create table svc.model_budget_periods (
  budget_id uuid not null references svc.model_budgets on delete cascade,
  period_start timestamptz not null,
  spent_micros bigint not null default 0,
  leased_micros bigint not null default 0,
  warned_at timestamptz,
  primary key (budget_id, period_start)
) with (fillfactor = 50);

-- The part of `leased_micros` that one node holds.
create table svc.model_budget_leases (
  node_id uuid not null,
  budget_id uuid not null references svc.model_budgets on delete cascade,
  period_start timestamptz not null,
  micros bigint not null,
  primary key (node_id, budget_id, period_start)
) with (fillfactor = 50);

-- What a project decided about models: the routing policy, which are off, its default.
create table svc.project_models (
  project_id uuid primary key references svc.projects,
  routing jsonb,
  default_model text,
  disabled_providers text[] not null default '{}',
  -- Models with a decision of their own: on or off.
  model_overrides jsonb not null default '{}',
  agent_defaults jsonb not null default '{}',
  updated_at timestamptz not null default now()
);

create table svc.account_models (
  account_id uuid primary key references svc.accounts on delete cascade,
  default_model text,
  updated_at timestamptz not null default now()
);

-- The beginning of each gateway key, which is not secret and tells keys apart; the keys are in svc.tokens.
create table svc.model_keys (
  key_id uuid primary key,
  project_id uuid not null references svc.projects,
  key_prefix text not null
);
create index model_keys_project on svc.model_keys (project_id);
