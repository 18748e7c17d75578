-- Sandbox templates, their builds, the provider a project uses, and what leaves a sandbox.

-- Templates made by hand. Those of the manifest live in the repository alone.
create table svc.sandbox_templates (
  template_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  project_id uuid not null references svc.projects,
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9_-]{0,127}$' and slug <> 'default'),
  name text,
  image text,
  dockerfile_path text,
  entrypoint text,
  cpu integer not null default 2 check (cpu between 1 and 32),
  memory_gb integer not null default 4 check (memory_gb between 1 and 128),
  disk_gb integer not null default 20 check (disk_gb between 1 and 500),
  created_by text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, slug),
  check ((image is null) <> (dockerfile_path is null))
);

create table svc.sandbox_builds (
  build_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  project_id uuid not null references svc.projects,
  slug text not null,
  provider text not null,
  -- What the image is called and the hash of the definition it was made from: the same definition, the same image.
  snapshot_name text not null,
  content_hash text not null,
  -- What is built, frozen when the build was asked for.
  definition jsonb not null,
  commit_sha text,
  status text not null default 'building' check (status in ('building', 'ready', 'failed')),
  error text,
  error_category text check (error_category in
    ('quota', 'dockerfile', 'layer', 'tunnel', 'provider', 'timeout', 'runtime', 'git', 'unknown')),
  source text check (source in ('session-start', 'project-create', 'cr-merge', 'manual', 'background', 'startup')),
  -- The end of the build's output.
  log text not null default '',
  started_at timestamptz not null default now(),
  finished_at timestamptz
);
-- One image is built once at a time, however many ask for it.
create unique index sandbox_builds_running on svc.sandbox_builds (project_id, provider, snapshot_name)
  where status = 'building';
create index sandbox_builds_newest on svc.sandbox_builds (project_id, started_at desc, build_id desc);
create index sandbox_builds_image on svc.sandbox_builds (project_id, provider, snapshot_name, started_at desc);

-- No row: the platform's default provider, whichever that is.
create table svc.sandbox_choices (
  project_id uuid primary key references svc.projects,
  account_id uuid not null references svc.accounts on delete cascade,
  selected_provider text,
  -- Counts the requests for another provider; the newest wins.
  generation integer not null default 0,
  updated_at timestamptz not null default now()
);

create table svc.sandbox_transitions (
  transition_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  project_id uuid not null references svc.projects,
  generation integer not null,
  status text not null check (status in
    ('pending', 'building', 'ready', 'activating', 'activated', 'failed', 'superseded', 'cancelled')),
  source_provider text not null,
  target_provider text not null,
  label text not null,
  snapshot_name text,
  external_template_id text,
  commit_sha text,
  attempts integer not null default 0,
  last_error text,
  error_class text,
  requested_by text,
  requested_at timestamptz not null default now(),
  ready_at timestamptz,
  activated_at timestamptz,
  updated_at timestamptz not null default now(),
  unique (project_id, generation)
);

-- Where a project's sandboxes may connect to. No row: every public host.
create table svc.egress_rules (
  project_id uuid primary key references svc.projects,
  account_id uuid not null references svc.accounts on delete cascade,
  allow text[] not null,
  updated_by text,
  updated_at timestamptz not null default now()
);

-- The authority that a project's sandboxes trust, for the hosts whose traffic is rewritten on the way out.
create table svc.egress_authorities (
  project_id uuid primary key references svc.projects,
  account_id uuid not null references svc.accounts on delete cascade,
  certificate text not null,
  sealed_key bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

-- Connections out of sandboxes. Those of one machine to one place with one outcome within a second share a row.
create table svc.egress_log (
  entry_id bigint generated always as identity primary key,
  project_id uuid not null references svc.projects,
  sandbox_id uuid not null,
  host text not null,
  port integer not null,
  outcome text not null,
  connections integer not null,
  bytes_in bigint not null,
  bytes_out bigint not null,
  started_at timestamptz not null,
  ended_at timestamptz not null
);
create index egress_log_project on svc.egress_log (project_id, entry_id desc);
create index egress_log_ended on svc.egress_log (ended_at);
