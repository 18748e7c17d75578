import type { Sql } from '../../kernel/database/index.ts'

/** A server that was not seen for this long is away: it died, or it cannot reach the database. */
export const awaySeconds = 30

/** By the database's own clock, which is the same for every server. */
export async function noteNode(sql: Sql, nodeId: string): Promise<void> {
  await sql`insert into svc.session_nodes (node_id) values (${nodeId})
    on conflict (node_id) do update set seen_at = now()`
}

export async function isNodeUp(sql: Sql, nodeId: string): Promise<boolean> {
  const [row] = await sql<{ isUp: boolean }[]>`
    select seen_at > now() - make_interval(secs => ${awaySeconds}) as "isUp"
    from svc.session_nodes where node_id = ${nodeId}`
  return row?.isUp ?? false
}

/** Sessions that say they run, or are about to, on other servers that are away. */
export async function listAbandoned(sql: Sql, nodeId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select session.session_id as id from svc.sessions session left join svc.session_nodes node using (node_id)
    where session.status in ('queued', 'branching', 'provisioning', 'running') and session.deleted_at is null
      and session.node_id <> ${nodeId}
      and (node.seen_at is null or node.seen_at < now() - make_interval(secs => ${awaySeconds}))
    limit 100`
  return rows.map(({ id }) => id)
}
