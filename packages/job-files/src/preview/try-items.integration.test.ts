import { Writable } from 'node:stream';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { outcomePool } from '../testing/outcome-pool.ts';
import { inputOf, terminalIn } from '../testing/text-input.ts';
import { KnownKeys } from './known-keys.ts';
import { surveyInput } from './survey.ts';
import { restText, triedText } from './tried-text.ts';
import { tryItems } from './try-items.ts';

const pool = outcomePool();
const header = { job_type: 'chat', model: 'm', params: { system: 'Be brief.' } } as const;
const REVIEWS = ['id,text', ...Array.from({ length: 20 }, (_, n) => `r${n},"review\n${n}"`)].join('\n');
const silent = { ...terminalIn('/'), stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) };

/** Starts to try three items, and waits for their job. */
async function trying() {
  const input = await inputOf({ 'a.csv': REVIEWS }, { jobType: 'chat' });
  const stop = new AbortController();
  const tried = tryItems(pool.client, { header, input, count: 3, total: 20 }, silent, stop.signal);
  tried.catch(() => undefined);
  const job = await until(async () => {
    const { jobs } = await pool.client.call('listJobs', { query: {} });
    return jobs.find(({ state }) => state === 'queued' || state === 'running');
  });
  return { input, stop, tried, job };
}

it('runs some items, shows them, and leaves their outputs in the ledger', async () => {
  const { input, tried, job } = await trying();
  expect(job).toMatchObject({ shard_size: 1, items: { total: 3 } });
  const answer = '{"text":"fine, thanks","finish_reason":"stop","cut":false}';
  const ids = await pool.lease();
  await pool.end(Object.fromEntries(ids.map((id, n) => [id, n === 2 ? { error: 'model_refused' } : answer])));
  const outcomes = await tried;
  expect(outcomes.map(({ id }) => id)).toEqual(ids);
  const text = triedText(outcomes);
  expect(text).toMatch(/^item +input +output +tokens in +tokens out +s$/m);
  expect(text).toMatch(/^r\d+ +review \d+ +fine, thanks +0 +0 +\d+\.\d$/m);
  expect(text).toMatch(/^r\d+ +review \d+ +model_refused: model_refused, sadly +0 +0 +\d+\.\d$/m);
  expect(restText(outcomes, 17)).toMatch(/^the other 17 items: about .* s, from .* s to .* s$/);

  const keys = new KnownKeys(pool.client, new AbortController().signal);
  await surveyInput(header, input, (key) => keys.add(key));
  expect(await keys.counts()).toEqual({ asked: 20, known: 2 });

  const again = await trying();
  const [failed] = await pool.lease();
  await pool.end({ [failed ?? '']: answer });
  expect((await again.tried).filter(({ isReused }) => isReused)).toHaveLength(2);
});

it('leaves nothing running when it is interrupted', async () => {
  const { tried, stop, job } = await trying();
  stop.abort();
  await expect(tried).rejects.toThrow();
  expect(await pool.client.call('readJob', { params: { id: job.id } })).toMatchObject({ state: 'cancelled' });
});
