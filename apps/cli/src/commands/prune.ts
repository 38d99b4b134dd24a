import type { PruneReply } from '@macbatch/contract';
import { EXIT, Failure, say, sayJson, showPruning, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { secondsOf } from '../options/age.ts';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';

interface PruneOptions extends ConnectionOptions {
  readonly olderThan: string;
  readonly dryRun?: boolean;
}

export function addPrune(program: Command, terminal: Terminal): void {
  withConnection(
    program
      .command('prune')
      .description('delete jobs that finished or were cancelled long ago, with their items and outcomes')
      .requiredOption('--older-than <age>', 'ended longer ago than this, as in 30d or 12h')
      .option('--dry-run', 'delete nothing, say what would go'),
  ).action(async (options: PruneOptions) => {
    const body = { older_than_seconds: secondsOf('--older-than', options.olderThan) };
    const client = connect(options, terminal);
    const call = (more: { readonly dry_run?: boolean }) =>
      client.call('prune', { body: { ...body, ...more } }, { signal: terminal.interrupted });

    const { left: all } = await call({ dry_run: true });
    if (options.dryRun === true) {
      if (options.json === true) return sayJson(terminal.stdout, { would_go: all });
      return say(terminal.stdout, `${amount(all)} would go. Nothing was deleted.`);
    }
    const progress = showPruning(terminal, all);
    let jobs = 0;
    let rows = 0;
    try {
      for (;;) {
        const reply = await call({});
        jobs += reply.jobs;
        rows += reply.rows;
        progress.update(reply.left);
        if (reply.left.jobs === 0) break;
        if (reply.rows === 0) throw new Failure(EXIT.incomplete, held(reply.left.jobs));
      }
    } finally {
      progress.stop();
    }
    if (options.json === true) return sayJson(terminal.stdout, { jobs, rows });
    return say(
      terminal.stdout,
      jobs === 0
        ? 'There is nothing that old.'
        : `${jobs.toLocaleString('en')} jobs deleted, ${rows.toLocaleString('en')} rows`,
    );
  });
}

function held(jobs: number): string {
  return `${jobs} jobs are held by somebody else: another prune, or a submission that is the same as one of them. Run this again later.`;
}

function amount(left: PruneReply['left']): string {
  const [jobs, items, tasks] = [left.jobs, left.items, left.tasks].map((count) => count.toLocaleString('en'));
  return `${jobs} jobs with ${items} items in ${tasks} tasks and ${(left.payload_bytes / 1e6).toFixed(1)} MB of payloads`;
}
