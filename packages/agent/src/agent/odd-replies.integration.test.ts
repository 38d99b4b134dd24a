import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endpointReply } from '../runtimes/endpoint/completion-reply.ts';
import { RunFailure, type Runtime } from '../runtimes/runtime.ts';
import { oddChatReply } from '../testing/odd-replies.ts';
import { TestPool } from '../testing/test-pool.ts';

/** The result of a reply, or why the item fails; null if it would be tried again. */
function decided(reply: unknown) {
  try {
    return endpointReply('chat', reply);
  } catch (error) {
    return error instanceof RunFailure && error.failure === 'permanent' ? error : null;
  }
}

it('A3: the control plane records the outcome of every reply that decides an item', async () => {
  const ends = fc
    .sample(oddChatReply, { numRuns: 400, seed: 11 })
    .map(decided)
    .filter((end) => end !== null);
  const pool = await TestPool.open();
  const runtime: Runtime = {
    name: 'odd',
    offers: [{ job_type: 'chat', model: 'odd' }],
    async run({ payload }) {
      const end = ends[Number(payload)];
      if (end === undefined) throw new Error('no such item');
      if (end instanceof RunFailure) throw end;
      return { output: end.output, model: { name: end.model ?? 'odd', digest: null }, usage: end.usage };
    },
    close: async () => {},
  };
  const { job } = await pool.client.submit(async function* () {
    yield '{"job_type":"chat","model":"odd","shard_size":25}';
    for (const n of ends.keys()) yield JSON.stringify({ id: `item-${n}`, payload: n });
  });
  const { logged } = pool.start('mac', runtime, { concurrency: 50, leaseLimit: 20 });
  const ok = ends.filter((end) => !(end instanceof RunFailure)).length;
  expect(ends.length).toBeGreaterThan(150);
  expect(await pool.ended(job.id)).toMatchObject({
    state: 'done',
    items: { ok, error: ends.length - ok },
    lease_expired_events: 0,
  });
  expect(logged('task.reported').filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  for (const [n, line] of (await pool.results(job.id)).entries()) {
    const end = ends[n];
    expect(line.output).toEqual(end instanceof RunFailure ? undefined : JSON.parse(end?.output ?? ''));
    expect(line.error?.code).toBe(end instanceof RunFailure ? end.code : undefined);
  }
});
