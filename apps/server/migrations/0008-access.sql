-- Access: whom does an object name, what expires next, who holds which role; and word of every change.

create index assignments_object on svc.assignments (scope_id, object_type, object_id, expires_at desc nulls first)
  where object_type is not null;
create index assignments_expiry on svc.assignments (expires_at)
  where expires_at is not null and expiry_recorded_at is null;
create index assignments_role on svc.assignments (account_id, role_id);
create index assignments_newest on svc.assignments (account_id, created_at desc, assignment_id desc);
create index service_accounts_newest on svc.service_accounts (account_id, created_at desc);

-- Tells every process that cached decisions of an account are stale: the topic `access.changed` on the channel of the
-- platform's events. The account's id is also the event's, so that PostgreSQL sends one per account and transaction.
create function svc.publish_access_change() returns trigger language plpgsql as $$
declare
  changed uuid;
begin
  if tg_table_name = 'group_members' then
    select account_id into changed from svc.groups where group_id = coalesce(new.group_id, old.group_id);
  else
    changed := coalesce(new.account_id, old.account_id);
  end if;
  if changed is not null then
    perform pg_notify('svc_events', json_build_object(
      'id', changed, 'topic', 'access.changed', 'payload', json_build_object('account_id', changed))::text);
  end if;
  return null;
end
$$;

create trigger assignments_publish after insert or update or delete on svc.assignments
  for each row execute function svc.publish_access_change();
create trigger roles_publish after insert or update or delete on svc.roles
  for each row execute function svc.publish_access_change();
create trigger groups_publish after insert or delete on svc.groups
  for each row execute function svc.publish_access_change();
create trigger group_members_publish after insert or delete on svc.group_members
  for each row execute function svc.publish_access_change();
create trigger service_accounts_publish
  after insert or delete or update of status, expires_at, project_id, agent_name on svc.service_accounts
  for each row execute function svc.publish_access_change();
create trigger projects_publish after insert or delete or update of status, account_id on svc.projects
  for each row execute function svc.publish_access_change();
