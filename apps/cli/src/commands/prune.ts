import type { PruneReply } from '@macbatch/contract';
import { EXIT, Failure, printJson, printLine, showPruneProgress, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { parseAgeSeconds } from '../options/age.ts';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { addCommand } from './command-names.ts';

interface PruneOptions extends ConnectionOptions {
  readonly olderThan: string;
  readonly dryRun?: boolean;
}

/** Adds the command `prune`. */
export function addPrune(program: Command, terminal: Terminal): void {
  withConnection(
    addCommand(program, 'prune')
      .requiredOption('--older-than <age>', 'delete jobs that ended longer ago than this, such as 30d or 12h')
      .option('--dry-run', 'delete nothing, print what would be deleted'),
  ).action(async (options: PruneOptions) => {
    const body = { older_than_seconds: parseAgeSeconds('--older-than', options.olderThan) };
    const client = connect(options, terminal);
    const call = (more: { readonly dry_run?: boolean }) =>
      client.call('prune', { body: { ...body, ...more } }, { signal: terminal.interrupted });

    const { left: total } = await call({ dry_run: true });
    if (options.dryRun === true) {
      if (options.json === true) return printJson(terminal.stdout, { would_go: total });
      return printLine(terminal.stdout, `${amount(total)} would be deleted. Nothing was deleted.`);
    }
    const progress = showPruneProgress(terminal, total);
    let jobs = 0;
    let rows = 0;
    try {
      for (;;) {
        const reply = await call({});
        jobs += reply.jobs;
        rows += reply.rows;
        progress.update(reply.left);
        if (reply.left.jobs === 0) break;
        if (reply.rows === 0) throw new Failure(EXIT.incomplete, lockedJobs(reply.left.jobs));
      }
    } finally {
      progress.stop();
    }
    if (options.json === true) return printJson(terminal.stdout, { jobs, rows });
    return printLine(
      terminal.stdout,
      jobs === 0
        ? 'No job is that old.'
        : `${jobs.toLocaleString('en')} jobs deleted, ${rows.toLocaleString('en')} rows`,
    );
  });
}

function lockedJobs(jobs: number): string {
  return `${jobs} jobs are locked by another prune, or by a submission of the same job. Run this again later.`;
}

function amount(left: PruneReply['left']): string {
  const [jobs, items, tasks] = [left.jobs, left.items, left.tasks].map((count) => count.toLocaleString('en'));
  return `${jobs} jobs with ${items} items in ${tasks} tasks and ${(left.payload_bytes / 1e6).toFixed(1)} MB of payloads`;
}
