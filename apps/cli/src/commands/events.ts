import { EVENT_KINDS } from '@macbatch/contract';
import { eventTable, printJson, printLine, type Terminal } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { completeJobId } from '../options/job-id.ts';
import { addCommand } from './command-names.ts';

interface EventOptions extends ConnectionOptions {
  readonly job?: string;
  readonly workerId?: string;
  readonly kind?: (typeof EVENT_KINDS)[number];
  readonly limit: string;
}

/** Adds the command `events`. */
export function addEvents(program: Command, terminal: Terminal): void {
  withConnection(addCommand(program, 'events'))
    .option('--job <id>', 'only events of this job')
    .option('--worker-id <name>', 'only events of this worker')
    .addOption(new Option('--kind <kind>', 'only events of this kind').choices(EVENT_KINDS))
    .option('--limit <n>', 'number of events', '50')
    .action(async ({ job, workerId, kind, limit, ...options }: EventOptions) => {
      const client = connect(options, terminal);
      const { events } = await client.call('listEvents', {
        query: {
          limit,
          ...(job === undefined ? {} : { job: await completeJobId(client, job) }),
          ...(workerId === undefined ? {} : { worker: workerId }),
          ...(kind === undefined ? {} : { kind }),
        },
      });
      if (options.json === true) return printJson(terminal.stdout, events);
      // The newest is at the bottom, next to the prompt.
      return printLine(
        terminal.stdout,
        events.length === 0 ? 'no events' : eventTable([...events].reverse()),
      );
    });
}
