import { THROUGHPUT_KEYS } from '@macbatch/contract';
import { printJson, printLine, type Terminal, throughputTable } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { parseAgeSeconds } from '../options/age.ts';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { completeJobId } from '../options/job-id.ts';
import { addCommand } from './command-names.ts';

interface ThroughputOptions extends ConnectionOptions {
  readonly last: string;
  readonly by: (typeof THROUGHPUT_KEYS)[number];
  readonly job?: string;
  readonly workerId?: string;
  readonly model?: string;
}

/** Adds the command `throughput`. */
export function addThroughput(program: Command, terminal: Terminal): void {
  withConnection(addCommand(program, 'throughput'))
    .option('--last <time>', 'how long ago the first minute is, such as 1h or 7d', '1h')
    .addOption(
      new Option('--by <key>', 'one row for each of these').choices(THROUGHPUT_KEYS).default('worker'),
    )
    .option('--job <id>', 'only items of this job')
    .option('--worker-id <name>', 'only items of this worker')
    .option('--model <alias>', 'only jobs with this alias of a model')
    .action(async ({ last, by, job, workerId, model, ...options }: ThroughputOptions) => {
      const from = new Date(Date.now() - parseAgeSeconds('--last', last) * 1000).toISOString();
      const client = connect(options, terminal);
      const reply = await client.call('readThroughput', {
        query: {
          by,
          from,
          ...(job === undefined ? {} : { job: await completeJobId(client, job) }),
          ...(workerId === undefined ? {} : { worker: workerId }),
          ...(model === undefined ? {} : { model }),
        },
      });
      if (options.json === true) return printJson(terminal.stdout, reply);
      return printLine(
        terminal.stdout,
        reply.series.length === 0 ? 'nothing was finished in this time' : throughputTable(reply),
      );
    });
}
