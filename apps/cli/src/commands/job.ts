import type { JobSummary, JobView } from '@macbatch/contract';
import {
  counted,
  EXIT,
  endText,
  explanationText,
  Failure,
  jobFailures,
  paintFor,
  printJson,
  printLine,
  stateText,
  summaryJson,
  summaryText,
  type Terminal,
  watchJob,
} from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { completeJobId } from '../options/job-id.ts';
import { ownCommand } from '../options/own-command.ts';
import { addCommand } from './command-names.ts';

interface RetryOptions extends ConnectionOptions {
  readonly items?: boolean;
  readonly failure?: string;
}

/** Returns exit code 0 if every item is ok, otherwise 1. */
export function exitCodeOf(job: JobSummary): number {
  return job.items.ok === job.items.total ? EXIT.ok : EXIT.incomplete;
}

/** Prints the summary of a job, as JSON if `json` is true. */
function printJob(job: JobView, json: boolean, terminal: Terminal): void {
  if (json) printJson(terminal.stdout, summaryJson(job, null));
  else printLine(terminal.stdout, summaryText(job));
}

/** Adds the commands `job`, `watch`, `cancel` and `retry`. */
export function addJobCommands(program: Command, terminal: Terminal): void {
  withConnection(addCommand(program, 'job'))
    .option('--explain', 'say what the job waits for and when it should end')
    .action(async (part: string, options: ConnectionOptions & { readonly explain?: boolean }) => {
      const client = connect(options, terminal);
      const id = await completeJobId(client, part);
      if (options.explain !== true) {
        return printJob(await client.call('readJob', { params: { id } }), options.json === true, terminal);
      }
      const explanation = await client.call('explainJob', { params: { id } });
      if (options.json === true) return printJson(terminal.stdout, explanation);
      return printLine(terminal.stdout, explanationText(explanation));
    });

  withConnection(addCommand(program, 'watch')).action(async (part: string, options: ConnectionOptions) => {
    const client = connect(options, terminal);
    const id = await completeJobId(client, part);
    const job = await watchJob(client, id, terminal, terminal.interrupted);
    if (options.json === true) printJob(job, true, terminal);
    else {
      const failed = job.items.error + job.items.failed;
      const failures = await jobFailures(client, id, failed, terminal.interrupted);
      const next = ownCommand(
        terminal.env,
        failed > 0 ? ['retry', id, '--items'] : ['results', id, '-o', 'outcomes.jsonl'],
      );
      printLine(terminal.stdout, endText(job, { failures, next }, paintFor(terminal.stdout, terminal.env)));
    }
    if (exitCodeOf(job) !== EXIT.ok) throw new Failure(exitCodeOf(job), '');
  });

  withConnection(addCommand(program, 'cancel')).action(async (part: string, options: ConnectionOptions) => {
    const client = connect(options, terminal);
    const job = await client.call('cancelJob', { params: { id: await completeJobId(client, part) } });
    if (options.json === true) return printJson(terminal.stdout, job);
    return printLine(
      terminal.stdout,
      job.state === 'cancelled' ? 'cancelled' : `nothing to cancel: the job is ${stateText(job)}`,
    );
  });

  withConnection(addCommand(program, 'retry'))
    .option('--items', 'also run items again that ended with an error')
    .option('--failure <group>', 'only the failures of this group; macbatch failures lists the groups')
    .action(async (part: string, options: RetryOptions) => {
      const client = connect(options, terminal);
      const id = await completeJobId(client, part);
      const reply = await client.call('retryJob', {
        params: { id },
        body: {
          items: options.items === true,
          ...(options.failure === undefined ? {} : { failure: options.failure }),
        },
      });
      if (options.json === true) return printJson(terminal.stdout, reply);
      if (reply.tasks > 0)
        return printLine(
          terminal.stdout,
          `${counted(reply.tasks, 'task')} will run again, ${counted(reply.items, 'item error')} removed`,
        );
      if (options.failure !== undefined)
        return printLine(
          terminal.stdout,
          `nothing to run again: the job has no failure of the group ${options.failure}`,
        );
      const { items } = await client.call('readJob', { params: { id } });
      return printLine(
        terminal.stdout,
        items.error > 0 && options.items !== true
          ? `nothing to run again: no task has failed. ${counted(items.error, 'item')} ended with an error: --items runs them again`
          : 'nothing to run again: no task has failed',
      );
    });
}
