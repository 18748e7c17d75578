-- Audit events: who did what, written in the transaction of the change. Append-only, enforced here.
create table svc.audit_events (
  event_id uuid primary key,
  -- Milliseconds, the precision of the cursor clients page with.
  occurred_at timestamptz(3) not null default clock_timestamp(),
  account_id uuid,
  project_id uuid,
  session_id uuid,
  actor_user_id text,
  actor_type text check (actor_type in ('human', 'agent', 'service_account', 'system', 'anonymous')),
  agent_id text,
  agent_name text,
  initiator_actor_type text,
  initiator_actor_id text,
  source text,
  client_reported_source text,
  outcome text check (outcome in ('success', 'failure', 'denied', 'pending')),
  action text not null,
  phase text,
  resource_type text,
  resource_id text,
  http_status integer,
  duration_ms integer,
  request_id text,
  trace_id text,
  correlation_id text,
  causation_id text,
  parent_event_id uuid,
  delegation_depth integer,
  turn_id text,
  message_id text,
  tool_call_id text,
  execution_id text,
  session_sequence bigint,
  input_summary jsonb,
  output_summary jsonb,
  input_sha256 text,
  output_sha256 text,
  error_code text,
  before jsonb,
  after jsonb,
  ip text,
  user_agent text,
  metadata jsonb not null default '{}'
);

create index audit_events_account on svc.audit_events (account_id, occurred_at, event_id);
create index audit_events_session on svc.audit_events (session_id, occurred_at);

create function svc.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: its rows are append-only', tg_op, tg_table_name using errcode = 'restrict_violation';
end
$$;

create trigger audit_events_append_only before update or delete on svc.audit_events
  for each row execute function svc.refuse_change();
create trigger audit_events_no_truncate before truncate on svc.audit_events
  for each statement execute function svc.refuse_change();
