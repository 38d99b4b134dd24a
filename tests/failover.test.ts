import { join } from 'node:path';
import { Client } from '@macbatch/client';
import type { ReportRequest, RouteReply } from '@macbatch/contract';
import { openPair } from '@macbatch/postgres/testing';
import { audit } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { endedJob, resultsOf } from './testing/pool.ts';
import { start } from './testing/program.ts';
import { type RecordingProxy, recordingProxy } from './testing/recording-proxy.ts';

const ITEMS = 40;

/** Submits one job after another until `stop`. Sends a submission again if it fails. */
class Submitter {
  /** The jobs whose submissions were answered. */
  readonly acknowledged: string[] = [];
  readonly #client: Client;
  readonly #ended: Promise<void>;
  #stopped = false;

  constructor(url: string, name: string) {
    this.#client = new Client({ baseUrl: url });
    this.#ended = this.#run(name);
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#ended;
  }

  async #run(name: string): Promise<void> {
    for (let n = 0; !this.#stopped; n += 1) {
      const submitted = await until(() =>
        this.#client
          .submit(
            async function* () {
              yield JSON.stringify({ job_type: 'noop', model: 'noop', shard_size: 4 });
              for (let i = 0; i < ITEMS; i += 1)
                yield JSON.stringify({ id: `i${i}`, payload: `${name} ${n} ${i}` });
            },
            { idempotencyKey: `${name}-${n}` },
          )
          .catch(() => undefined),
      );
      this.acknowledged.push(submitted.job.id);
    }
  }
}

interface Recorded {
  readonly place: string;
  readonly atMs: number;
}

/** Lists the outcomes that the control plane acknowledged, with the times of the answers. */
function recordedOutcomes(proxies: readonly RecordingProxy[]): Recorded[] {
  return proxies
    .flatMap(({ answered }) => answered)
    .filter(({ path }) => path === '/v1/tasks/complete_batch')
    .flatMap(({ asked, answer, atMs }) => {
      const { entries } = JSON.parse(asked) as ReportRequest;
      const { entries: replies } = JSON.parse(answer) as RouteReply<'completeBatch'>;
      return entries.flatMap((entry, n) =>
        replies[n]?.outcome === 'accepted'
          ? entry.outcomes.map(({ item_id }) => ({ place: `${entry.task_id} ${item_id}`, atMs }))
          : [],
      );
    });
}

it('continues without restarts when a standby takes over, and loses nothing that was acknowledged', async () => {
  const pair = await openPair();
  onTestFinished(() => pair.close());
  const folder = testFolder();
  const env = { PROBE_STATE: join(folder, 'probe_state.json') };
  const startControl = (name: string) =>
    start('control', [], {
      env: {
        ...env,
        MACBATCH_CONTROL_NAME: name,
        MACBATCH_DATABASE_URL: pair.url,
        MACBATCH_PORT: '0',
        MACBATCH_RENEWED_LEASE_SECONDS: '2',
        MACBATCH_REQUESTS_PER_SECOND: '10000',
      },
    });
  const controls = ['left', 'right'].map(startControl);
  const proxies = await Promise.all(
    controls.map(async (control) =>
      recordingProxy(String((await control.event('control.listening'))['url'])),
    ),
  );
  const workers = proxies.flatMap(({ url }, n) =>
    ['one', 'two'].map((name) =>
      start('worker', [], {
        env: {
          ...env,
          MACBATCH_STATE_DIR: join(folder, 'workers'),
          MACBATCH_CONTROL_URL: url,
          MACBATCH_WORKER_ID: `${name}-${n}`,
          MACBATCH_NOOP: '1',
          MACBATCH_USE_LITE: '0',
        },
      }),
    ),
  );
  const submitters = proxies.map(({ url }, n) => new Submitter(url, `s${n}`));
  const submittedCounts = () => submitters.map(({ acknowledged }) => acknowledged.length);

  await until(
    () => submittedCounts().every((jobs) => jobs >= 3) && recordedOutcomes(proxies).length >= 3 * ITEMS,
  );
  await pair.killPrimary();
  // Requests are refused immediately.
  const [client] = proxies.map(({ url }) => new Client({ baseUrl: url, retries: 0 }));
  await until(async () => (await fetch(`${proxies[0]?.url}/v1/jobs`)).status === 503);
  const before = submittedCounts();
  await pair.promote();
  await until(() => submittedCounts().every((jobs, n) => jobs >= (before[n] ?? 0) + 3));
  await Promise.all(submitters.map((submitter) => submitter.stop()));
  if (client === undefined) throw new Error('there is no control plane');

  const jobs = submitters.flatMap(({ acknowledged }) => acknowledged);
  for (const id of jobs) {
    expect(await endedJob(client, id)).toMatchObject({ state: 'done', items: { total: ITEMS, ok: ITEMS } });
    const results = await resultsOf(client, id);
    expect(new Set(results.map((line) => line.id)).size).toBe(ITEMS);
    expect(results).toHaveLength(ITEMS);
  }
  expect(await audit(pair.promotedUrl)).toEqual([]);
  const sql = postgres(new URL(pair.promotedUrl).href, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const rows = await sql<{ place: string; at_ms: number }[]>`
    select task_id || ' ' || item_id as place, extract(epoch from recorded_at)::float8 * 1000 as at_ms
    from results join items using (job_id, seq)`;
  const recordedAt = new Map(rows.map(({ place, at_ms: atMs }) => [place, atMs]));
  // An outcome that was lost and computed again would have a later record than its acknowledgement.
  const lost = recordedOutcomes(proxies).filter(
    ({ place, atMs }) => (recordedAt.get(place) ?? Number.POSITIVE_INFINITY) > atMs,
  );
  expect(lost).toEqual([]);
  // W7: the same processes still run, and they end on SIGTERM.
  for (const program of [...workers, ...controls]) {
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ exit: 0 });
  }
});
