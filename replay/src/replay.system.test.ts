import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Measured } from './measured.ts';
import type { Replay } from './page.ts';

/** A replay starts Postgres and three processes. On a busy machine this takes long. */
const PATIENCE_MS = 180_000;

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

function replay(...args: readonly string[]): Measured {
  const dir = mkdtempSync(join(tmpdir(), 'replay-test-'));
  try {
    const json = join(dir, 'replay.json');
    const run = spawnSync(process.execPath, [MAIN, ...args, '--json', json], { encoding: 'utf8' });
    expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining('ended after') });
    const { runs } = JSON.parse(readFileSync(json, 'utf8')) as Replay;
    const [measured] = runs;
    if (measured === undefined) throw new Error('nothing was measured');
    return measured;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

it('ends a small job with agents on Macs that sleep and lose their network, and counts everything', {
  timeout: PATIENCE_MS,
}, () => {
  const run = replay('--scenario', 'smoke', '--rules', 'product');
  // Only the bad item has no output.
  expect(run).toMatchObject({ items: 60, goodItemsFailed: 0, cutOff: false, crashes: 0 });
  expect(run.share).toBeCloseTo(1);
  expect(run.makespan).toBeGreaterThan(run.ideal);
  expect(run.executed).toBeGreaterThan(run.accepted);
  expect(run.leasesGranted).toBeGreaterThanOrEqual(6);
  expect(Object.keys(run.requests)).toEqual(
    expect.arrayContaining(['complete_batch', 'heartbeat', 'lease', 'release']),
  );
  // The task failed after three attempts, each with three tries of the item. Copies on the other Mac, and attempts that
  // the lid cut off, tried it too: three times as often at most.
  expect(run.badItemRuns).toHaveLength(1);
  expect(run.badItemRuns[0]).toBeGreaterThanOrEqual(3);
  expect(run.badItemRuns[0]).toBeLessThanOrEqual(3 * 3 * 3);
  // One process was killed, and the next one found its outbox.
  expect(run.logged).toMatchObject({ 'worker.running': 3 });
});
