-- The audit log: fast pages, a chain of hashes per account, signed exports, and webhooks that events are pushed to.

-- The chain an event belongs to: its account's, or the instance's own, which has the zero UUID.
alter table svc.audit_events add column chain_id uuid not null
  generated always as (coalesce(account_id, '00000000-0000-0000-0000-000000000000'::uuid)) stored;

-- Each filter of the log that can be rare finds its rows without reading the account's whole history.
drop index svc.audit_events_account;
create index audit_events_chain on svc.audit_events (chain_id, occurred_at, event_id);
create index audit_events_action on svc.audit_events (chain_id, action text_pattern_ops, occurred_at);
create index audit_events_actor on svc.audit_events (chain_id, actor_user_id, occurred_at);
create index audit_events_project on svc.audit_events (project_id, occurred_at) where project_id is not null;
create index audit_events_request on svc.audit_events (request_id) where request_id is not null;
create index audit_events_correlation on svc.audit_events (correlation_id) where correlation_id is not null;
create index audit_events_resource on svc.audit_events (chain_id, resource_type text_pattern_ops, occurred_at)
  where resource_type is not null;
create index audit_events_not_success on svc.audit_events (chain_id, outcome, occurred_at) where outcome <> 'success';

-- Events that wait for their place in the chain. Filled with the event, emptied when it is sealed.
create table svc.audit_unsealed (
  account_id uuid not null,
  occurred_at timestamptz(3) not null,
  event_id uuid not null,
  primary key (account_id, occurred_at, event_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- What was written before there was a chain gets its place too.
insert into svc.audit_unsealed (account_id, occurred_at, event_id)
  select chain_id, occurred_at, event_id from svc.audit_events;

-- An event's place: one number after the other per account, each hash over the event and the hash before it.
create table svc.audit_seals (
  account_id uuid not null,
  sequence bigint not null check (sequence > 0),
  event_id uuid not null unique,
  previous_hash text not null check (length(previous_hash) = 64),
  hash text not null check (length(hash) = 64),
  primary key (account_id, sequence)
);

create trigger audit_seals_append_only before update or delete on svc.audit_seals
  for each row execute function svc.refuse_change();
create trigger audit_seals_no_truncate before truncate on svc.audit_seals
  for each statement execute function svc.refuse_change();

-- Keys that sign the checkpoints of exports. The newest signs; every public key stays readable.
create table svc.audit_signing_keys (
  key_id uuid primary key,
  public_key text not null,
  sealed_private_key bytea not null,
  is_current boolean not null default true,
  created_at timestamptz not null default now()
);
create unique index audit_signing_keys_current on svc.audit_signing_keys (is_current) where is_current;

create table svc.audit_webhooks (
  webhook_id uuid primary key,
  account_id uuid not null references svc.accounts on delete cascade,
  name text not null check (length(name) between 1 and 128),
  url text not null,
  enabled boolean not null default true,
  action_prefix text,
  sealed_secret bytea not null,
  -- Signs along until then.
  sealed_previous_secret bytea,
  previous_secret_until timestamptz,
  -- A receiver that is under load gets nothing before then; the level doubles the wait.
  slow_until timestamptz,
  slow_level integer not null default 0,
  last_delivered_at timestamptz,
  last_error_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((sealed_previous_secret is null) = (previous_secret_until is null))
);
create index audit_webhooks_account on svc.audit_webhooks (account_id, created_at desc);

-- One event on its way to one webhook. The id is the `webhook-id` of every attempt.
create table svc.audit_deliveries (
  delivery_id uuid primary key,
  webhook_id uuid not null references svc.audit_webhooks on delete cascade,
  event_id uuid not null,
  state text not null default 'pending'
    check (state in ('pending', 'delivering', 'retry', 'delivered', 'dead_letter')),
  attempts integer not null default 0,
  -- Null once it is delivered or a dead letter.
  next_attempt_at timestamptz,
  last_status integer,
  last_error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((state in ('delivered', 'dead_letter')) = (next_attempt_at is null)),
  unique (webhook_id, event_id)
);
create index audit_deliveries_open on svc.audit_deliveries (next_attempt_at) where next_attempt_at is not null;
create index audit_deliveries_finished on svc.audit_deliveries (finished_at) where finished_at is not null;
create index audit_deliveries_dead on svc.audit_deliveries (webhook_id, created_at) where state = 'dead_letter';

-- Runs with every event that is stored, so that sealing and delivery are queued exactly when it stands. By row: for the
-- one event of a change that costs a third of what a statement's transition table does.
create function svc.queue_audit_event() returns trigger language plpgsql as $$
declare
  queued uuid;
begin
  insert into svc.audit_unsealed (account_id, occurred_at, event_id)
    values (new.chain_id, new.occurred_at, new.event_id);
  if exists (select from svc.audit_webhooks hook where hook.account_id = new.account_id) then
    for queued in
      insert into svc.audit_deliveries (delivery_id, webhook_id, event_id, next_attempt_at)
        select gen_random_uuid(), hook.webhook_id, new.event_id, clock_timestamp()
        from svc.audit_webhooks hook
        where hook.account_id = new.account_id and hook.enabled
          and starts_with(new.action, coalesce(hook.action_prefix, ''))
        returning delivery_id
    loop
      perform graphile_worker.add_job(
        identifier => 'audit.deliver', payload => json_build_object('delivery_id', queued),
        job_key => 'audit.deliver:' || queued
      );
    end loop;
  end if;
  return null;
end
$$;

create trigger audit_events_queue after insert on svc.audit_events
  for each row execute function svc.queue_audit_event();

-- Stores events given by their columns' names. One that is stored already is left as it is. A function, so that each
-- session plans the insert once: planning costs more than inserting.
create function svc.write_audit_events(rows jsonb) returns void language plpgsql as $$
begin
  insert into svc.audit_events (occurred_at, metadata,
    event_id, account_id, project_id, session_id, actor_user_id, actor_type, agent_id, agent_name,
    initiator_actor_type, initiator_actor_id, source, client_reported_source, outcome, action, phase,
    resource_type, resource_id, http_status, duration_ms, request_id, trace_id, correlation_id, causation_id,
    parent_event_id, delegation_depth, turn_id, message_id, tool_call_id, execution_id, session_sequence,
    input_summary, output_summary, input_sha256, output_sha256, error_code, before, after, ip, user_agent)
  select coalesce(occurred_at, clock_timestamp()), coalesce(metadata, '{}'),
    event_id, account_id, project_id, session_id, actor_user_id, actor_type, agent_id, agent_name,
    initiator_actor_type, initiator_actor_id, source, client_reported_source, outcome, action, phase,
    resource_type, resource_id, http_status, duration_ms, request_id, trace_id, correlation_id, causation_id,
    parent_event_id, delegation_depth, turn_id, message_id, tool_call_id, execution_id, session_sequence,
    input_summary, output_summary, input_sha256, output_sha256, error_code, before, after, ip, user_agent
  from jsonb_populate_recordset(null::svc.audit_events, rows)
  on conflict (event_id) do nothing;
end
$$;
