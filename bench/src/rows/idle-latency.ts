import { startControlPlane } from '../load/control-plane.ts';
import { post } from '../load/post.ts';
import { percentile } from '../median.ts';
import { graphileLatencies } from '../peers/graphile.ts';
import { type Bench, figure, type Row } from '../row.ts';

const PAUSE_MS = 50;

/** Measures the time from a submission until a waiting worker has the task, without other load. */
export const idleLatency: Row = {
  name: 'idle-latency',
  title: 'Idle latency: from enqueue to a long-polled lease, over HTTP; graphile without HTTP',
  async measure(bench) {
    const samples = bench.quick ? 15 : 200;
    const ours = await leaseLatencies(bench, samples);
    bench.progress(`ours: ${percentile(ours, 0.5).toFixed(1)} ms`);
    await using database = await bench.server.database('empty');
    const graphile = await graphileLatencies(database.url, samples, PAUSE_MS);
    return [
      figure({
        what: 'p50',
        value: percentile(ours, 0.5),
        unit: 'ms',
        to: 'graphile default',
        ratio: percentile(ours, 0.5) / percentile(graphile, 0.5),
        floor: 2,
        goal: 1.2,
        better: 'less',
      }),
      figure({ what: 'p99', value: percentile(ours, 0.99), unit: 'ms', better: 'less' }),
      figure({ what: 'graphile default, p50', value: percentile(graphile, 0.5), unit: 'ms', better: 'less' }),
    ];
  },
};

async function leaseLatencies(bench: Bench, samples: number): Promise<number[]> {
  await using database = await bench.server.database('product');
  await using control = await startControlPlane(database.url);
  const ask = JSON.stringify({
    worker_id: 'bench',
    boot_id: 'bench',
    lease_limit: 1,
    offers: [{ job_type: 'noop', model: 'noop' }],
    renews: true,
    wait_seconds: 30,
  });
  const submission = JSON.stringify({ job_type: 'noop', model: 'noop', items: [{ id: 'a', payload: {} }] });
  const latencies: number[] = [];
  for (let n = 0; n < samples + 5; n += 1) {
    const leased = post(`${control.url}/v1/tasks/lease`, ask) as Promise<{
      tasks: { task_id: string; attempt: number }[];
    }>;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const submittedAt = performance.now();
    const submitted = fetch(`${control.url}/v1/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: submission,
    });
    const { tasks } = await leased;
    if (n >= 5) latencies.push(performance.now() - submittedAt); // the first requests connect and prepare statements
    await (await submitted).arrayBuffer();
    const entries = tasks.map(({ task_id, attempt }) => ({
      task_id,
      attempt,
      outcomes: [{ item_id: 'a', output: '1' }],
      final: true,
    }));
    await post(`${control.url}/v1/tasks/complete_batch`, JSON.stringify({ worker_id: 'bench', entries }));
  }
  return latencies;
}
