import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { jsonLines, macbatch, processesWith } from './testing/program.ts';

it('bench: measures a job of no-op items and prints every figure', async () => {
  const folder = testFolder();
  const size = ['--tasks', '50', '--shard-size', '5', '--workers', '2', '--lease-limit', '10'];
  const bench = await macbatch(['bench', ...size, '--json'], { cwd: folder, env: { TEST_FOLDER: folder } });
  expect(bench).toMatchObject({ exit: 0 });
  const figures = jsonLines(bench.stdout);
  expect(figures).toMatchObject([
    { tasks: 50, items: 250, shard_size: 5, workers: 2, lease_limit: 10, lease_expired_events: 0 },
  ]);
  for (const measured of [
    'seconds',
    'tasks_per_second',
    'items_per_second',
    'lease_ms_p50',
    'lease_ms_p99',
    'complete_ms_p50',
    'complete_ms_p99',
    'bytes_stored_per_item',
  ]) {
    expect(figures[0]?.[measured], measured).toBeGreaterThan(0);
  }
  expect(processesWith(folder)).toEqual([]);
});
