import { readFile, writeFile } from 'node:fs/promises';
import { BadOption, describeMachine } from '@macbatch/bench';
import { comparison, terminalComparison } from './comparison.ts';
import type { Measured } from './measured.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { type Replay, writePage } from './page.ts';
import { openReplayServer } from './replay-server.ts';
import { runScenario } from './run-scenario.ts';
import { factorOf, SCENARIO_NAMES, titleOf } from './scenarios.ts';

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

async function replay(options: Options): Promise<void> {
  const done = options.from.length > 0 ? await readResults(options.from) : await runAll(options);
  process.stdout.write(`${terminalComparison(comparison(done.runs))}\n`);
  if (options.write) await writePage(done);
}

async function runAll({ scenarios, rules, seed, most, json, ...options }: Options): Promise<Replay> {
  const runs: Measured[] = [];
  await using server = await openReplayServer();
  const done = () => ({
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    postgres: server.version,
    runs,
  });
  for (const scenario of scenarios) {
    const factor = options.factor ?? factorOf(scenario);
    for (const each of rules) {
      const report = (text: string) => process.stderr.write(`${scenario}, ${each} rules: ${text}\n`);
      report(`${titleOf(scenario)}; clocks ${factor} times as fast`);
      const measured = await runScenario(server, { scenario, rules: each, seed, factor, most }, report);
      runs.push(measured);
      report(`ended after ${Math.round(measured.makespan)} s`);
      // Written after each run, because all of them take long.
      if (json !== null) await writeFile(json, `${JSON.stringify(done(), null, 2)}\n`);
    }
  }
  return done();
}

/** Reads earlier results and merges them in the order of the scenarios. */
async function readResults(files: readonly string[]): Promise<Replay> {
  const replays = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(file, 'utf8')) as Replay),
  );
  const runs = replays.flatMap((each) => each.runs);
  const position = ({ scenario, rules }: Measured) =>
    2 * SCENARIO_NAMES.indexOf(scenario) + (rules === 'product' ? 0 : 1);
  const last = replays.at(-1);
  if (last === undefined) throw new BadOption('--from needs a file.');
  return { ...last, runs: runs.toSorted((one, other) => position(one) - position(other)) };
}
