import { RETRY_POLICIES } from '@macbatch/core';
import type postgres from 'postgres';
import { knownValue } from '../../database/known-value.ts';
import type { Store } from '../../store.ts';
import { parseTaskStatus } from '../../tasks/task-status.ts';
import { NOOP_OFFERS, submitJob } from '../submitted-job.ts';
import { BOOT, type Call, ERROR, outcomeAt, T0, type World } from './world.ts';

/** Items of the task. */
export const ITEMS = 3;

/** One task in a database. It can be put into any state and called through the real store. */
export interface OneTask {
  readonly taskId: string;
  readonly jobId: string;
  /** Changes the rows of the task, its job, leases and outcomes to those of a world. */
  put(world: World): Promise<void>;
  read(): Promise<World>;
  /** Makes a call. Returns the reply in the words of `step`. */
  call(call: Call): Promise<string>;
}

interface TaskRow {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly errors: number;
  readonly expiries: number;
  readonly returns: number;
  readonly retry_base: number;
  readonly retry_on: string;
  readonly item_count: number;
  readonly outcome_count: number;
  readonly assigned_worker: string | null;
  readonly lapsed_worker: string | null;
  readonly lapsed_boot: string | null;
  readonly lapsed_attempt: number | null;
  readonly lease_left_ms: number | null;
  readonly error: string | null;
  readonly cancelled: boolean;
}

export async function oneTask(store: Store, sql: postgres.Sql): Promise<OneTask> {
  const jobId = await submitJob(store, { items: ITEMS, shardSize: ITEMS });
  const [row] = await sql<{ id: string }[]>`select id::text from tasks where job_id = ${jobId}`;
  if (row === undefined) throw new Error('The job has no task.');
  const taskId = row.id;
  return {
    taskId,
    jobId,
    put: (world) => sql.begin((tx) => put(tx, jobId, taskId, world)).then(() => undefined),
    read: () => read(sql, taskId),
    call: (call) => makeCall(store, jobId, taskId, call),
  };
}

async function put(tx: postgres.TransactionSql, jobId: string, taskId: string, world: World): Promise<void> {
  const { task, granted, outcomes } = world;
  // Sent in this order, without waiting for each answer.
  const sent: PromiseLike<unknown>[] = [];
  // Progress resets the count of the task but not its events.
  const expired = Math.max(task.expiries, task.lapsedAttempt === null ? 0 : 1);
  const leftMs = task.leaseUntil === null ? null : task.leaseUntil - T0;
  sent.push(
    tx`update jobs set finished_at = null, retry_on = ${task.retryOn}, cancelled_at = ${task.cancelled ? tx`now()` : null} where id = ${jobId}`,
  );
  sent.push(tx`
    update tasks set status = ${task.status}, attempts = ${task.attempts}, errors = ${task.errors}, expiries = ${task.expiries},
      returns = ${task.returns}, retry_base = ${task.retryBase}, retry_on = ${task.retryOn}, outcome_count = ${task.outcomeCount},
      assigned_worker = ${task.assignedWorker}, lapsed_worker = ${task.lapsedWorker}, lapsed_boot = ${task.lapsedBoot},
      lapsed_attempt = ${task.lapsedAttempt}, error = ${task.error},
      -- Like the store: a done task is not marked, and its job is cancelled.
      cancelled = ${task.cancelled && task.status !== 'done'},
      lease_until = now() + ${leftMs}::float8 * interval '1 millisecond'
    where id = ${taskId}`);
  sent.push(tx`delete from leases where task_id = ${taskId}`);
  sent.push(tx`delete from results where job_id = ${jobId}`);
  sent.push(tx`delete from events where job_id = ${jobId}`);
  sent.push(tx`delete from job_tallies where job_id = ${jobId}`);
  sent.push(tx`
    insert into leases (task_id, attempt, worker_id, boot_id)
    select ${taskId}, number, worker, ${BOOT} from unnest(${[...granted]}::text[]) with ordinality as lease (worker, number)`);
  const positions = [...outcomes.keys()];
  const errors = [...outcomes.values()].map((outcome) => (outcome === 'error' ? ERROR : null));
  sent.push(tx`
    insert into results (job_id, seq, output, error, task_id, attempt)
    select ${jobId}, position, case when error is null then 'true' end, error, ${taskId}, 1
    from unnest(${positions}::int[], ${errors}::text[]) as outcome (position, error)`);
  sent.push(tx`
    insert into events (kind, job_id, task_id, attempt)
    select 'lease_expired', ${jobId}::uuid, ${taskId}::bigint, number from (
      -- The lease that can be resumed has expired.
      select number from generate_series(1, ${Math.max(task.attempts, expired)}::int) as number
      order by number <> ${task.lapsedAttempt ?? 0}::int, number limit ${expired}::int
    ) as expired
    union all select 'task_error', ${jobId}, ${taskId}, number from generate_series(1, ${task.errors}::int) as number
    union all select 'task_retried', ${jobId}, ${taskId}, null where ${task.retryBase > 0}`);
  const is = (status: string) => (task.status === status ? 1 : 0);
  const bad = errors.filter((error) => error !== null).length;
  sent.push(tx`
    insert into job_tallies (job_id, worker_id, pending, leased, done, failed, leases_granted, items_ok, items_error, items_failed, leases_expired)
    values (${jobId}, '', ${is('pending')}, ${is('leased')}, ${is('done')}, ${is('failed')}, ${granted.length}, ${outcomes.size - bad}, ${bad},
      ${task.status === 'failed' ? task.itemCount - outcomes.size : 0}, ${expired})`);
  await Promise.all(sent);
}

async function read(sql: postgres.Sql, taskId: string): Promise<World> {
  const [row] = await sql<TaskRow[]>`
    select tasks.*, tasks.id::text, tasks.cancelled or jobs.cancelled_at is not null as cancelled,
      (extract(epoch from lease_until - now()) * 1000)::float8 as lease_left_ms
    from tasks join jobs on jobs.id = tasks.job_id where tasks.id = ${taskId}`;
  if (row === undefined) throw new Error('The task does not exist.');
  const granted = await sql<{ worker_id: string }[]>`
    select worker_id from leases where task_id = ${taskId} order by attempt`;
  const outcomes = await sql<{ seq: number; error: string | null }[]>`
    select seq, error from results where task_id = ${taskId} order by seq`;
  return {
    task: {
      status: parseTaskStatus(row.status),
      attempts: row.attempts,
      errors: row.errors,
      expiries: row.expiries,
      returns: row.returns,
      retryBase: row.retry_base,
      retryOn: knownValue(RETRY_POLICIES, row.retry_on),
      itemCount: row.item_count,
      outcomeCount: row.outcome_count,
      assignedWorker: row.assigned_worker,
      leaseUntil: row.lease_left_ms === null ? null : T0 + row.lease_left_ms,
      lapsedWorker: row.lapsed_worker,
      lapsedBoot: row.lapsed_boot,
      lapsedAttempt: row.lapsed_attempt,
      error: row.error,
      cancelled: row.cancelled,
    },
    granted: granted.map((lease) => lease.worker_id),
    outcomes: new Map(outcomes.map(({ seq, error }) => [seq, error === null ? 'ok' : 'error'])),
  };
}

async function makeCall(store: Store, jobId: string, taskId: string, call: Call): Promise<string> {
  switch (call.type) {
    case 'lease': {
      const { tasks } = await store.lease({
        worker: call.worker,
        boot: BOOT,
        limit: 5,
        offers: NOOP_OFFERS,
        renews: false,
      });
      const [task] = tasks;
      if (task === undefined) return 'nothing';
      const positions = task.items.map(({ itemId }) => itemId.replace('item-', ''));
      return `lease ${task.attempt} of items ${positions.join()}`;
    }
    case 'renew': {
      const [answer] = await store.renew(call.worker, call.boot, [{ taskId, attempt: call.attempt }]);
      return answer?.refusal === null ? 'accepted' : `refused ${answer?.refusal}`;
    }
    case 'release': {
      const [answer] = await store.release(call.worker, [{ taskId, attempt: call.attempt }]);
      return answer === null ? 'accepted' : `refused ${answer}`;
    }
    case 'fail':
      return reportEntry(store, call, { outcomes: [], final: false, error: ERROR }, taskId);
    case 'report': {
      const outcomes = call.items.map((position) => ({
        itemId: `item-${position}`,
        output: outcomeAt(call, position) === 'ok' ? 'true' : null,
        error: outcomeAt(call, position) === 'ok' ? null : ERROR,
        model: undefined,
        usage: null,
      }));
      return reportEntry(store, call, { outcomes, final: call.final, error: null }, taskId);
    }
    case 'expire': {
      const { reclaimed, failed } = await store.reclaim({ force: true });
      return reclaimed > 0 ? 'now pending' : failed > 0 ? 'now failed' : 'nothing';
    }
    case 'retry': {
      const { tasks, items } = await store.retryJob(jobId, { items: call.items });
      return `${tasks} tasks, ${items} items`;
    }
    case 'cancel':
      await store.cancelJob(jobId);
      return 'answered';
  }
}

async function reportEntry(
  store: Store,
  call: { readonly worker: string; readonly attempt: number },
  entry: Omit<Parameters<Store['report']>[1][number], 'taskId' | 'attempt'>,
  taskId: string,
): Promise<string> {
  const [answer] = await store.report(call.worker, [{ taskId, attempt: call.attempt, ...entry }]);
  if (answer === undefined) throw new Error('The report got no verdict.');
  switch (answer.outcome) {
    case 'accepted':
      return `accepted ${answer.status}${answer.code === undefined ? '' : ` but ${answer.code}`}`;
    case 'refused':
      return `refused ${answer.code}`;
    default:
      return answer.outcome;
  }
}
