import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

it('I1: records each item once despite kills, closed lids, wrong clocks, lost replies, cut connections and a database crash', async () => {
  const report = await runChaos({ seed: 20_261, seconds: 10, workers: 3, controls: 2, say: () => undefined });
  process.stdout.write(`chaos: ${JSON.stringify(report)}\n`);
  expect(report.problems).toEqual([]);
  expect(report.workerKills).toBeGreaterThan(0);
});
