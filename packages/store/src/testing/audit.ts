import postgres from 'postgres';

/** Consistency checks. Each key is a message, each value a query that returns one row for each violation. */
const CHECKS: Readonly<Record<string, string>> = {
  'the tallies by status are not the tasks by status': `
    select job_id from (
      select job_id, sum(pending) as pending, sum(leased) as leased, sum(done) as done, sum(failed) as failed
      from job_tallies group by job_id) as tally
    full join (
      select job_id, count(*) filter (where status = 'pending') as pending, count(*) filter (where status = 'leased') as leased,
        count(*) filter (where status = 'done') as done, count(*) filter (where status = 'failed') as failed
      from tasks group by job_id) as truth using (job_id)
    where (tally.pending, tally.leased, tally.done, tally.failed) is distinct from (coalesce(truth.pending, 0), coalesce(truth.leased, 0), coalesce(truth.done, 0), coalesce(truth.failed, 0))`,
  'the tallies of items are not the results': `
    select job_id from (select job_id, sum(items_ok) as ok, sum(items_error) as error from job_tallies group by job_id) as tally
    left join (
      select job_id, count(*) filter (where error is null) as ok, count(*) filter (where error is not null) as error
      from results group by job_id) as truth using (job_id)
    where (tally.ok, tally.error) is distinct from (coalesce(truth.ok, 0), coalesce(truth.error, 0))`,
  'the tally of items of failed tasks is not their items without an outcome': `
    select job_id from (select job_id, sum(items_failed) as missing from job_tallies group by job_id) as tally
    left join (
      select job_id, sum(item_count - outcome_count) as missing from tasks where status = 'failed' group by job_id) as truth using (job_id)
    where tally.missing is distinct from coalesce(truth.missing, 0)`,
  'the tally of expiries is not the events': `
    select job_id from (select job_id, sum(leases_expired) as expired from job_tallies group by job_id) as tally
    left join (select job_id, count(*) as expired from events where kind = 'lease_expired' group by job_id) as truth using (job_id)
    where tally.expired is distinct from coalesce(truth.expired, 0)`,
  'the tally of leases is not the leases': `
    select job_id from (select job_id, sum(leases_granted) as granted from job_tallies group by job_id) as tally
    left join (select tasks.job_id, count(*) as granted from leases join tasks on tasks.id = leases.task_id group by tasks.job_id) as truth using (job_id)
    where tally.granted is distinct from coalesce(truth.granted, 0)`,
  'the outcome count of a task is not the number of its results': `
    select tasks.id from tasks left join results on results.task_id = tasks.id and not results.reused
    group by tasks.id having count(results.seq) <> tasks.outcome_count`,
  'a result is outside its task': `
    select results.seq from results left join tasks on tasks.id = results.task_id
      and tasks.job_id = results.job_id and results.seq >= tasks.first_seq and results.seq < tasks.first_seq + tasks.item_count
    where tasks.id is null and not results.reused`,
  'a result comes from a lease that was never granted': `
    select results.seq from results left join leases on leases.task_id = results.task_id and leases.attempt = results.attempt
    where leases.task_id is null
      -- A result reused from a pruned job has no lease any more.
      and (not results.reused or exists (select from tasks where tasks.id = results.task_id))`,
  'a task is done without every outcome, or has every outcome and is not done': `
    select id from tasks where (status = 'done') <> (outcome_count = item_count)`,
  'a task is leased without a lease end, or has a lease end and is not leased': `
    select id from tasks where (status = 'leased') <> (lease_until is not null)`,
  'a task names a worker while it is not leased or done, or names none while it is': `
    select id from tasks where (assigned_worker is not null) <> (status in ('leased', 'done'))`,
  'a task has not as many leases as attempts': `
    select tasks.id from tasks left join leases on leases.task_id = tasks.id
    group by tasks.id having count(leases.attempt) <> tasks.attempts or coalesce(max(leases.attempt), 0) <> tasks.attempts`,
  'a task counts more expiries than it has events': `
    select tasks.id from tasks left join events on events.task_id = tasks.id
    group by tasks.id having count(*) filter (where kind = 'lease_expired') < tasks.expiries`,
  'the errors of a task that was never retried are not its events': `
    select tasks.id from tasks left join events on events.task_id = tasks.id
    group by tasks.id having count(*) filter (where kind = 'task_retried') = 0
      and count(*) filter (where kind in ('task_error', 'task_failed')) <> tasks.errors`,
  'a lease expired twice without a renewal that resumed it in between': `
    select task_id from events where kind in ('lease_expired', 'lease_resumed') group by task_id, attempt
    having count(*) filter (where kind = 'lease_expired') > 1 + count(*) filter (where kind = 'lease_resumed')`,
  'a lease was resumed more often than it expired': `
    select task_id from events where kind in ('lease_expired', 'lease_resumed') group by task_id, attempt
    having count(*) filter (where kind = 'lease_resumed') > count(*) filter (where kind = 'lease_expired')`,
  'a task remembers a lapsed lease while it is not pending, or one that is not its last': `
    select id from tasks where lapsed_attempt is not null
      and (status <> 'pending' or lapsed_attempt <> attempts or lapsed_worker is null)`,
  'a job that has ended has unfinished tasks': `
    select jobs.id from jobs where finished_at is not null
      and exists (select from tasks where job_id = jobs.id and status in ('pending', 'leased'))`,
  'the item and task counts of a job are not its items and tasks': `
    select jobs.id from jobs
    where item_count <> (select count(*) from items where job_id = jobs.id)
      or task_count <> (select count(*) from tasks where job_id = jobs.id)
      or item_count - reused_count - repeated_count <> (select coalesce(sum(tasks.item_count), 0) from tasks where job_id = jobs.id)`,
};

/** Checks the stored counts and states of a database against its rows. Returns a message for each failed check. */
export async function audit(database: string | postgres.Sql): Promise<string[]> {
  const own = typeof database === 'string' ? postgres(database, { max: 1, onnotice: () => undefined }) : null;
  const sql = own ?? (database as postgres.Sql);
  try {
    // A call with several statements returns the rows of each statement as one list.
    const found = await sql.unsafe<(readonly unknown[])[]>(Object.values(CHECKS).join(';'));
    return Object.keys(CHECKS).flatMap((problem, i) => {
      const rows = found[i] ?? [];
      return rows.length === 0 ? [] : [`${problem}: ${JSON.stringify(rows[0])} and ${rows.length - 1} more`];
    });
  } finally {
    await own?.end({ timeout: 5 });
  }
}
