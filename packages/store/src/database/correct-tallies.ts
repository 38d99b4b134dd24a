import type postgres from 'postgres';

/**
 * Corrects the tallies of failed tasks and expired leases. A control plane of the release before may run beside this
 * one during an upgrade, and does not count these. Runs at each start.
 */
export async function correctTallies(client: postgres.Sql): Promise<void> {
  await client`
    insert into job_tallies (job_id, worker_id, items_failed, leases_expired)
    select job_id, '', coalesce(missing, 0) - coalesce(tallied_missing, 0), coalesce(expired, 0) - coalesce(tallied_expired, 0)
    from (
      select job_id, sum(item_count - outcome_count)::int as missing from tasks where status = 'failed' group by job_id
    ) as failed
    full join (
      select job_id, count(*)::int as expired from events where kind = 'lease_expired' group by job_id
    ) as expiry using (job_id)
    full join (
      select job_id, sum(items_failed)::int as tallied_missing, sum(leases_expired)::int as tallied_expired
      from job_tallies group by job_id
    ) as tally using (job_id)
    where coalesce(missing, 0) <> coalesce(tallied_missing, 0) or coalesce(expired, 0) <> coalesce(tallied_expired, 0)
    on conflict (job_id, worker_id) do update set
      items_failed = job_tallies.items_failed + excluded.items_failed,
      leases_expired = job_tallies.leases_expired + excluded.leases_expired`;
}
