import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleMacbatch } from '@macbatch/release';
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
  const help = [main, '--help'];
  // Fills the cache of compiled code, as the first use after an installation does.
  await startMs(help);
  const bareMs: number[] = [];
  const beyondMs: number[] = [];
  // In pairs, because other load on the machine changes from one second to the next.
  for (let n = 0; n < (bench.quick ? 3 : 15) * bench.rounds; n += 1) {
    const bare = await startMs(['--eval', '0']);
    bareMs.push(bare);
    beyondMs.push((await startMs(help)) - bare);
  }
  return [
    figure({ what: 'bare node', value: median(bareMs), unit: 'ms', better: 'less' }),
    figure({
      what: 'macbatch --help, beyond bare node',
      value: median(beyondMs),
      unit: 'ms',
      floor: FLOOR_MS,
      goal: GOAL_MS,
      better: 'less',
    }),
  ];
}

async function startMs(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  await promisify(execFile)(process.execPath, args);
  return performance.now() - startedAt;
}
