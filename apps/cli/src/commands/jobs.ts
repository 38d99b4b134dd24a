import { JOB_SORTS } from '@macbatch/contract';
import { JOB_TYPES, type JobType } from '@macbatch/core';
import { jobTable, printJson, printLine, type Terminal } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { addCommand } from './command-names.ts';

interface ListOptions extends ConnectionOptions {
  readonly limit: string;
  readonly sort: (typeof JOB_SORTS)[number];
  readonly state?: string;
  readonly type?: JobType;
  readonly model?: string;
  readonly group?: string;
  readonly search?: string;
}

/** Adds the command `jobs`. */
export function addJobs(program: Command, terminal: Terminal): void {
  withConnection(addCommand(program, 'jobs'))
    .option('--limit <n>', 'number of jobs', '20')
    .option('--state <states>', 'only jobs in these states, such as queued,running')
    .addOption(new Option('--type <type>', 'only jobs of this type').choices(JOB_TYPES))
    .option('--model <alias>', 'only jobs with this alias of a model')
    .option('--group <group>', 'only jobs of this group of keys')
    .option('--search <text>', 'only jobs whose name or id contains this text')
    .addOption(
      new Option('--sort <order>', '-created: newest first; open: open jobs first, then newest first')
        .choices(JOB_SORTS)
        .default('-created'),
    )
    .action(async ({ search, json, url, ...query }: ListOptions) => {
      const client = connect(url === undefined ? {} : { url }, terminal);
      const { jobs } = await client.call('listJobs', {
        query: { ...query, ...(search === undefined ? {} : { q: search }) },
      });
      if (json === true) return printJson(terminal.stdout, jobs);
      return printLine(terminal.stdout, jobTable(jobs));
    });
}
