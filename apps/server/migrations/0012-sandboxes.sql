-- Machines that agents run in. A row outlives its processes: it says who owns the disk, the host user and the key.

create table svc.sandboxes (
  -- The session's id. A machine of the warm pool has one of its own until a session claims it.
  sandbox_id uuid primary key,
  -- Both null while it waits in the warm pool.
  account_id uuid references svc.accounts on delete cascade,
  project_id uuid references svc.projects,
  provider text not null,
  -- The provider's own name for it, and its name in every proxy address.
  external_id text not null unique check (external_id ~ '^sb[0-9a-z]{18}$'),
  -- The data directory whose server runs it.
  node_id uuid not null,
  -- The user on the host that its processes run as; never shared while the disk exists.
  host_uid integer,
  status text not null default 'provisioning'
    check (status in ('provisioning', 'active', 'stopped', 'error', 'archived')),
  -- Why it is in this state, for people.
  status_detail text,
  template_slug text not null default 'default',
  -- Content-addressed; null for the default template.
  image text,
  sealed_service_key bytea not null,
  config jsonb not null default '{}',
  metadata jsonb not null default '{}',
  last_used_at timestamptz,
  started_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((account_id is null) = (project_id is null))
);
create unique index sandboxes_host_uid on svc.sandboxes (node_id, host_uid) where host_uid is not null;
create index sandboxes_project on svc.sandboxes (project_id, created_at desc) where project_id is not null;
create index sandboxes_account on svc.sandboxes (account_id) where account_id is not null;
create index sandboxes_live on svc.sandboxes (node_id, status) where status in ('provisioning', 'active');
create index sandboxes_warm on svc.sandboxes (node_id, created_at) where project_id is null and status = 'active';
