import { writeFile } from 'node:fs/promises';
import { BadOption } from './bad-option.ts';
import { openBenchServer } from './bench-server.ts';
import { describeMachine } from './machine.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { type Outcome, type Run, versions } from './outcome.ts';
import { page } from './page.ts';
import { verdict } from './row.ts';
import { ROWS } from './rows.ts';
import { terminalTable } from './table.ts';

const args = process.argv.slice(2);

try {
  const options = readOptions(args);
  if (options.help) process.stdout.write(`${HELP}\n`);
  else await show(await measure(options), options);
} catch (error) {
  if (!(error instanceof BadOption)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function measure(options: Options): Promise<Run> {
  const outcomes: Outcome[] = [];
  let postgres = 'unknown';
  for (const dir of options.dirs) {
    await using server = await openBenchServer(dir);
    postgres = server.version;
    for (const row of ROWS.filter(({ name }) => options.rows.includes(name))) {
      const progress = (text: string) => process.stderr.write(`${dir} ${row.name}: ${text}\n`);
      const { quick, rounds } = options;
      const lines = await row.measure({ server, quick, rounds, progress });
      outcomes.push({ row: row.name, title: row.title, dir, lines });
      if (!options.json) process.stdout.write(`\n${row.title}, data in ${dir}\n${terminalTable(lines)}\n`);
    }
  }
  return {
    command: ['npm run bench --', ...args].join(' '),
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    versions: versions(postgres),
    outcomes,
  };
}

async function show(run: Run, options: Options): Promise<void> {
  const lines = run.outcomes.flatMap((outcome) => outcome.lines);
  const count = (what: string) => lines.filter((line) => verdict(line) === what).length;
  if (options.json) process.stdout.write(`${JSON.stringify(run, null, 2)}\n`);
  else {
    process.stdout.write(
      `\n${count('goal')} reach their goal, ${count('floor')} their floor, ${count('MISSED')} miss it.\n`,
    );
  }
  if (options.write) await writeFile(new URL('../../docs/benchmarks.md', import.meta.url), page(run));
}
