import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Run } from './outcome.ts';
import { figure, verdict } from './row.ts';
import { COLUMNS, markdownTable } from './table.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

function bench(...args: readonly string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
}

it('measures every line of a row in a quick run', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-test-'));
  try {
    const { stdout, stderr, status } = bench('--quick', '--row', 'footprint', '--dir', dir, '--json');
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const run = JSON.parse(stdout) as Run;
    expect(run.outcomes.map(({ row, dir: at }) => [row, at])).toEqual([['footprint', dir]]);
    const lines = run.outcomes.flatMap((outcome) => outcome.lines);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line.value).toBeGreaterThan(0);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

it('refuses an unknown row and lists the rows', () => {
  expect(bench('--row', 'none')).toMatchObject({ status: 2, stderr: expect.stringContaining('store-cycle') });
});

it('markdownTable: draws a cell for every column', () => {
  const lines = [
    figure({ what: 'rate', value: 12_345, unit: 'tasks/s', to: 'peer', ratio: 0.9, floor: 0.8, goal: 1 }),
    figure({ what: 'size', value: null, unit: 'MB' }),
  ];
  const [head, , rate, size] = markdownTable(lines)
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(head).toEqual(COLUMNS);
  expect(rate).toEqual(['rate', '12,345', 'tasks/s', 'peer', '0.90x', '≥ 0.8x', '≥ 1x', 'floor']);
  expect(size).toEqual(['size', 'n/a', 'MB', '', '', '', '', '']);
});

it.each([
  ['more', 1, 'goal'],
  ['more', 0.9, 'floor'],
  ['more', 0.7, 'MISSED'],
] as const)(
  'verdict: with %s being better, floor 0.8 and goal 1, judges %d as %s',
  (better, ratio, reached) => {
    const line = { what: '', value: null, unit: '', to: 'peer', floor: 0.8, goal: 1, better, ratio };
    expect(verdict(line)).toBe(reached);
  },
);

it.each([
  [10, 'goal'],
  [12, 'floor'],
  [13, 'MISSED'],
] as const)('verdict: with less being better, floor 12 and goal 11, judges %d as %s', (value, reached) => {
  expect(verdict(figure({ what: '', value, unit: 'ms', floor: 12, goal: 11, better: 'less' }))).toBe(reached);
});
