import { createStore } from '@macbatch/store';
import { audit, waitForBlockedSession } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { startControl } from './testing/pool.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES_BATCHES = '/v1/messages/batches';
/** The advisory lock that stops a control plane. */
const STOP = 4711;

/**
 * Lets a control plane run until a statement of its batches reaches one of `stops`: a state that a batch enters, or
 * `jobs` and `files` for an insert into these tables. The statement then waits for a lock of the test.
 */
async function installStops(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create table stops (place text primary key);
    create function stop_at(place text) returns void language plpgsql as $$
      begin
        if exists (select from stops where stops.place = stop_at.place) then
          perform pg_advisory_xact_lock_shared(${STOP});
        end if;
      end $$;
    create function stop_batch() returns trigger language plpgsql as $$
      begin
        if new.state <> old.state then perform stop_at(new.state); end if;
        return new;
      end $$;
    create function stop_insert() returns trigger language plpgsql as $$
      begin
        perform stop_at(tg_table_name);
        return new;
      end $$;
    create trigger stop_batch before update on batches for each row execute function stop_batch();
    create trigger stop_job before insert on jobs for each row execute function stop_insert();
    create trigger stop_file before insert on files for each row execute function stop_insert();
  `);
}

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
}

it('A4: loses nothing when the control plane is killed at every change of a batch', async () => {
  const control = await startControl();
  const sql = postgres(control.databaseUrl, { max: 1, onnotice: () => undefined });
  const lock = postgres(control.databaseUrl, { max: 1 });
  const store = createStore({ url: control.databaseUrl });
  onTestFinished(() => Promise.all([sql.end(), lock.end(), store.close()]).then(() => undefined));
  await installStops(sql);
  let program = control.program;

  const call = async (method: string, path: string, body?: object | FormData): Promise<Response> => {
    const isForm = body instanceof FormData;
    return fetch(control.url + path, {
      method,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(isForm || body === undefined ? {} : { headers: { 'content-type': 'application/json' } }),
    });
  };
  const create = async (requests: number): Promise<string> => {
    const line = (n: number) =>
      `{"custom_id":"r${n}","method":"POST","url":"${CHAT}","body":{"model":"m","n":${n + 1}}}\n`;
    const form = new FormData();
    form.set('purpose', 'batch');
    const text = requests === 0 ? 'not JSON' : Array.from({ length: requests }, (_, n) => line(n)).join('');
    form.set('file', new Blob([text]), 'input.jsonl');
    const file = (await (await call('POST', '/v1/files', form)).json()) as { id: string };
    const body = { input_file_id: file.id, endpoint: CHAT, completion_window: '24h' };
    return ((await (await call('POST', '/v1/batches', body)).json()) as Batch).id;
  };
  const createMessages = async (): Promise<string> => {
    const ids = Array.from({ length: 30 }, (_, n) => `r${n}`);
    const requests = ids.map((id) => ({ custom_id: id, params: { model: 'm', max_tokens: 1 } }));
    return ((await (await call('POST', MESSAGES_BATCHES, { requests })).json()) as Batch).id;
  };
  const statesOf = async () => {
    const rows = await sql<{ id: string; state: string }[]>`select id, state from batches`;
    return new Map(rows.map(({ id, state }) => [id, state]));
  };
  const stopAt = async (...places: readonly string[]) => {
    await lock`select pg_advisory_lock(${STOP})`;
    await sql`truncate stops`;
    for (const place of places) await sql`insert into stops values (${place})`;
  };
  /** Kills the control plane once this many of its statements wait. These are rolled back. */
  const kill = async (waiting: number) => {
    await waitForBlockedSession(sql, waiting);
    program.kill('SIGKILL');
    await program.ended;
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await lock`select pg_advisory_unlock(${STOP})`;
    // As if the claims of the killed control plane had passed.
    await sql`update batches set claim_until = now()`;
  };
  const restart = async () => {
    program = await control.again();
  };

  await stopAt('jobs', 'failed');
  const [done, cancelled, expired] = [await create(30), await create(30), await create(30)];
  let messages = createMessages().catch(() => 'no answer');
  await kill(4);
  expect(await messages).toBe('no answer');
  expect(new Set((await statesOf()).values())).toEqual(new Set(['validating']));
  expect(await sql`select from jobs`).toHaveLength(0);

  await stopAt('in_progress');
  await restart();
  messages = createMessages().catch(() => 'no answer');
  await kill(4);
  expect(await messages).toBe('no answer');
  expect(new Set((await statesOf()).values())).toEqual(new Set(['validating']));
  expect(await sql`select from items`).toHaveLength(0);

  await stopAt('failed');
  await restart();
  const invalid = await create(0);
  const answered = await createMessages();
  await until(async () => {
    const states = await statesOf();
    return [done, cancelled, expired, answered].every((id) => states.get(id) === 'in_progress');
  });
  await kill(1);
  expect((await statesOf()).get(invalid)).toBe('validating');

  // In the first batch all requests end, one with an error; in the others the first one of each of the three tasks.
  await sql`update batches set expires_at = now() where id = ${expired}`;
  await runRequests(store, sql, done);
  await runRequests(store, sql, cancelled, 1);
  await runRequests(store, sql, expired, 1);
  await stopAt('finalizing', 'expiring', 'cancelling');
  await restart();
  const asked = call('POST', `/v1/batches/${cancelled}/cancel`, {}).catch(() => 'no answer');
  await kill(3);
  expect(await asked).toBe('no answer');
  expect([...(await statesOf())].filter(([, state]) => state === 'in_progress')).toHaveLength(4);

  await stopAt('files');
  await restart();
  await call('POST', `/v1/batches/${cancelled}/cancel`, {});
  await kill(3);
  expect(await statesOf()).toEqual(
    new Map([
      [done, 'finalizing'],
      [cancelled, 'cancelling'],
      [expired, 'expiring'],
      [invalid, 'failed'],
      [answered, 'in_progress'],
    ]),
  );

  await stopAt('completed', 'cancelled', 'expired');
  await restart();
  await kill(3);
  expect(await sql`select from files where state = 'uploading'`).not.toHaveLength(0);
  await sql`update files set upload_until = now() where state = 'uploading'`;

  await sql`truncate stops`;
  await restart();
  await runRequests(store, sql, answered);
  await until(async () => {
    const states = [...(await statesOf()).values()];
    return states.every((state) => ['completed', 'cancelled', 'expired', 'failed'].includes(state));
  });
  const linesOf = async (file: string | null): Promise<string[]> => {
    if (file === null) return [];
    const text = await (await call('GET', `/v1/files/${file}/content`)).text();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
  };
  for (const [id, status, completed] of [
    [done, 'completed', 29],
    [cancelled, 'cancelled', 3],
    [expired, 'expired', 3],
  ] as const) {
    const batch = (await (await call('GET', `/v1/batches/${id}`)).json()) as Batch;
    expect(batch).toMatchObject({ status, request_counts: { total: 30, completed, failed: 30 - completed } });
    const output = await linesOf(batch.output_file_id);
    const errors = await linesOf(batch.error_file_id);
    expect([output.length, errors.length]).toEqual([completed, 30 - completed]);
    expect(new Set([...output, ...errors]).size).toBe(30);
  }
  const results = await (await call('GET', `${MESSAGES_BATCHES}/${answered}/results`)).text();
  const types = results
    .trimEnd()
    .split('\n')
    .map((line) => /"result":\{"type":"(\w+)"/.exec(line)?.[1]);
  expect(types.sort()).toEqual(['errored', ...types.slice(1).map(() => 'succeeded')]);
  expect(types).toHaveLength(30);
  // Four input files, two files of each batch of OpenAI that ran, and the results of the messages: nothing is left of
  // what was killed.
  expect(await sql`select from jobs`).toHaveLength(4);
  await until(async () => (await sql`select from files`).length === 4 + 6 + 1);
  expect(await sql`select distinct file_id from file_chunks`).toHaveLength(4 + 6 + 1);
  expect(await audit(control.databaseUrl)).toEqual([]);
});

/** Ends requests of a batch as a worker does: the first `limit` of each task, or all of them and one with an error. */
async function runRequests(
  store: ReturnType<typeof createStore>,
  sql: postgres.Sql,
  batch: string,
  limit?: number,
): Promise<void> {
  const [job] = await sql<{ id: string }[]>`select job_id as id from batch_jobs where batch_id = ${batch}`;
  const endpoint = batch.startsWith('msgbatch_') ? '/v1/messages' : CHAT;
  const offers = [{ jobType: `request:${endpoint}`, model: 'm' }] as const;
  const lease = { worker: batch, boot: 'boot', limit: 100, offers, renews: false };
  const { tasks } = await store.lease(lease);
  const model = { name: 'm', digest: null };
  for (const task of tasks) {
    const items = task.jobId === job?.id ? task.items.slice(0, limit) : [];
    const outcomes = items.map(({ itemId }) => {
      const isError = limit === undefined && itemId === 'r7';
      const error = isError ? '{"code":"c","message":"m"}' : null;
      return { itemId, output: isError ? null : '{}', error, model, usage: null };
    });
    const isFinal = items.length === task.items.length;
    await store.report(batch, [
      { taskId: task.taskId, attempt: task.attempt, outcomes, final: isFinal, error: null },
    ]);
  }
  await store.releaseBoots(batch, ['boot']);
}
