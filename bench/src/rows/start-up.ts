import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleMacbatch } from '@macbatch/release';
import { contest } from '../contest.ts';
import { median } from '../median.ts';
import { type Bench, figure, type Row } from '../row.ts';

const FLOOR_MS = 150;
const GOAL_MS = 100;

/** Measures what the bundled command line adds to the start of Node. */
export const startUp: Row = {
  name: 'start-up',
  title: 'Start of the bundled command line, against Node with an empty program',
  async measure(bench) {
    const folder = await mkdtemp(join(tmpdir(), 'macbatch-bench-start-'));
    try {
      await bundleMacbatch(folder);
      return await measureStarts(bench, join(folder, 'dist/main.js'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function measureStarts(bench: Bench, main: string) {
  const starts = bench.quick ? 3 : 15;
  const timed = (args: readonly string[]) => async () => ({ rate: await medianMs(starts, args), cpu: null });
  // Fills the cache of compiled code, as the first use after an installation does.
  await medianMs(1, [main, '--help']);
  const standing = await contest(bench, {
    'bare node': timed(['--eval', '0']),
    'macbatch --help': timed([main, '--help']),
  });
  const bareMs = standing.value('bare node');
  return [
    figure({ what: 'bare node', value: bareMs, unit: 'ms', better: 'less' }),
    figure({
      what: 'macbatch --help, beyond bare node',
      value: standing.value('macbatch --help') - bareMs,
      unit: 'ms',
      floor: FLOOR_MS,
      goal: GOAL_MS,
      better: 'less',
    }),
  ];
}

async function medianMs(starts: number, args: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < starts; n += 1) {
    const startedAt = performance.now();
    await promisify(execFile)(process.execPath, args);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
