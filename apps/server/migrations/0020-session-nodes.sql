-- Several servers on one database: each looks after the sessions whose machines it runs, and after no other.

-- Servers that run sessions, by the data directory that their machines lie in. One not seen for a while is away.
create table svc.session_nodes (
  node_id uuid primary key,
  seen_at timestamptz not null default now()
);

-- Whose session it is, from its first boot on; null until then.
alter table svc.sessions add column node_id uuid;
update svc.sessions session set node_id = machine.node_id
  from svc.sandboxes machine where machine.sandbox_id = session.session_id;
create index sessions_node on svc.sessions (node_id, status)
  where status in ('queued', 'branching', 'provisioning', 'running');
