import { resolve } from 'node:path';
import { outputTarget, writeOutcomes } from '@macbatch/job-files';
import { EXIT, Failure, printJson, printLine, type Terminal } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';

interface ResultsOptions extends ConnectionOptions {
  readonly output?: string;
  readonly item?: string;
  readonly status?: 'ok' | 'error';
}

/** Adds the command `results`. */
export function addResults(program: Command, terminal: Terminal): void {
  withConnection(
    program.command('results <id>').description('write the outcomes of a job, one line of JSON per item'),
  )
    .option('-o, --output <file>', 'output file (default: standard output)')
    .option('--item <item-id>', 'only the outcome of this item')
    .addOption(new Option('--status <status>', 'only outcomes of this status').choices(['ok', 'error']))
    .action(async (id: string, options: ResultsOptions) => {
      const client = connect(options, terminal);
      const query = {
        ...(options.item === undefined ? {} : { item_id: options.item }),
        ...(options.status === undefined ? {} : { status: options.status }),
      };
      const out =
        options.output === undefined || options.output === '-'
          ? ({ kind: 'stream', stream: terminal.stdout } as const)
          : await outputTarget(resolve(terminal.cwd, options.output), []);
      const written = await writeOutcomes(client, id, query, out, terminal.interrupted);
      if (options.item !== undefined && written.ok + written.error === 0) {
        const message = `The job has no outcome of the item ${options.item}. It may not have run yet, or not exist.`;
        throw new Failure(EXIT.incomplete, message);
      }
      if (out.kind === 'stream') return;
      if (options.json === true) printJson(terminal.stdout, { ...written, outcomes: options.output });
      else
        printLine(
          terminal.stderr,
          `${written.ok} ok and ${written.error} failed outcomes in ${options.output}`,
        );
    });
}
