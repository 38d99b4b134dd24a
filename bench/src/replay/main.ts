import { writeFile } from 'node:fs/promises';
import { BadOption } from '../bad-option.ts';
import { machine } from '../outcome.ts';
import { comparison, terminalComparison } from './comparison.ts';
import type { Measured } from './measured.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { writePage } from './page.ts';
import { openReplayServer } from './replay-server.ts';
import { runScenario } from './run-scenario.ts';
import { factorOf, titleOf } from './scenarios.ts';

const args = process.argv.slice(2);

try {
  const options = readOptions(args);
  if (options.help) process.stdout.write(`${HELP}\n`);
  else await replay(options);
} catch (error) {
  if (!(error instanceof BadOption)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function replay({ scenarios, rules, seed, most, json, write, ...options }: Options): Promise<void> {
  const runs: Measured[] = [];
  await using server = await openReplayServer();
  const page = () => ({
    command: ['npm run replay --', ...args].join(' '),
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    postgres: server.version,
    runs,
  });
  for (const scenario of scenarios) {
    const factor = options.factor ?? factorOf(scenario);
    for (const each of rules) {
      const tell = (text: string) => process.stderr.write(`${scenario}, ${each} rules: ${text}\n`);
      tell(`${titleOf(scenario)}; clocks ${factor} times as fast`);
      const measured = await runScenario(server, { scenario, rules: each, seed, factor, most }, tell);
      runs.push(measured);
      tell(`ended after ${Math.round(measured.makespan)} s`);
      // What there is so far is kept: the whole takes long.
      if (json !== null) await writeFile(json, `${JSON.stringify(page(), null, 2)}\n`);
    }
  }
  process.stdout.write(`${terminalComparison(comparison(runs))}\n`);
  if (write) await writePage(page());
}
