import { setImmediate } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { limitYoungGeneration } from './young-generation.ts';

/** Makes garbage, and prints the largest size of the young generation in megabytes. */
const [limitMegabytes] = process.argv.slice(2);
if (limitMegabytes !== undefined) limitYoungGeneration(Number(limitMegabytes));
let kept: object[] = [];
let largest = 0;
for (let round = 0; round < 60; round += 1) {
  for (let n = 0; n < 20_000; n += 1) kept.push({ text: [String(n)] });
  if (round % 2 === 0) kept = [];
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  largest = Math.max(largest, young?.space_size ?? 0);
  await setImmediate();
}
process.stdout.write(String(Math.round(largest / 1024 / 1024)));
