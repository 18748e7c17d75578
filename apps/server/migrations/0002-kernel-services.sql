-- Data keys, each wrapped with a master key. A retired key still opens what it sealed.
create table svc.envelope_keys (
  id uuid primary key,
  -- An account id, `platform`, or a purpose of the kernel's own such as `pepper:token`.
  scope text not null,
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

create unique index envelope_keys_active on svc.envelope_keys (scope) where retired_at is null;
create index envelope_keys_master on svc.envelope_keys (master_key_id);

-- Event payloads too large for NOTIFY. Unlogged: after a crash every listener starts with a gap anyway.
create unlogged table svc.event_payloads (
  id uuid primary key,
  payload text not null,
  created_at timestamptz not null default now()
);

create index event_payloads_created on svc.event_payloads (created_at);

-- One row per rule and key. Unlogged: a crash of the database forgets counts, never anything a user made.
create unlogged table svc.rate_limits (
  name text not null,
  key text not null,
  started_at timestamptz not null,
  expires_at timestamptz not null,
  taken integer not null,
  -- Whether the call that wrote the row last was allowed.
  allowed boolean not null,
  primary key (name, key)
) with (fillfactor = 70);

create index rate_limits_expires on svc.rate_limits (expires_at);

create table svc.idempotency_keys (
  caller text not null,
  route text not null,
  key text not null,
  body_hash text not null,
  -- The attempt that may finish the row; a newer attempt after a crash has another.
  attempt_id uuid not null,
  -- While it runs: until when the attempt counts as alive. Null when it is finished.
  leased_until timestamptz,
  -- The first answer as JSON text, or sealed when it holds a secret; both null when it was too large to keep.
  status integer,
  answer json,
  sealed_answer bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (caller, route, key)
);

create index idempotency_keys_expires on svc.idempotency_keys (expires_at);

-- Recurring jobs of the platform itself.
create table svc.schedules (
  name text primary key,
  cron text not null,
  time_zone text not null,
  next_slot_at timestamptz not null
);

-- One row per slot that fired. The primary key is what keeps two nodes from firing one slot twice.
create table svc.schedule_slots (
  name text not null,
  slot_at timestamptz not null,
  -- Earlier slots that passed while no node ran and that this one stands for.
  missed integer not null default 0,
  fired_at timestamptz not null default now(),
  primary key (name, slot_at)
);

create index schedule_slots_fired on svc.schedule_slots (fired_at);
