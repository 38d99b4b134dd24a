import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

/** The program of `npm run chaos -- --minutes N --seed S`: the chaos run of the tests, for any time. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '6' },
    controls: { type: 'string', default: '2' },
  },
});

const report = await runChaos({
  seed: Number(values.seed),
  seconds: Number(values.minutes) * 60,
  workers: Number(values.workers),
  controls: Number(values.controls),
  say: (line) => console.error(line),
});
console.log(JSON.stringify(report, null, 2));
process.exit(report.problems.length === 0 ? 0 : 1);
