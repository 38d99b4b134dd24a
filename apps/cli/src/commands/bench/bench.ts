import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@macbatch/client';
import { startLocalPool } from '@macbatch/local-pool';
import { openPostgres } from '@macbatch/postgres';
import { EXIT, Failure, printJson, printLine, type Terminal, table } from '@macbatch/terminal';
import type { Command } from 'commander';
import { addCommand } from '../command-names.ts';
import { runNoopJob } from './noop-job.ts';
import { quantile } from './quantile.ts';
import { tableBytes } from './table-bytes.ts';

interface BenchOptions {
  readonly tasks: string;
  readonly shardSize: string;
  readonly workers: string;
  readonly leaseLimit: string;
  readonly json?: boolean;
}

/** Adds the command `bench`. */
export function addBench(program: Command, terminal: Terminal): void {
  addCommand(program, 'bench')
    .option('--tasks <n>', 'tasks of the job', '2000')
    .option('--shard-size <n>', 'items per task', '10')
    .option('--workers <n>', 'workers that lease and report in parallel', '4')
    .option('--lease-limit <n>', 'tasks per lease', '10')
    .option('--json', 'print JSON')
    .action(async (options: BenchOptions) => {
      const tasks = parseCount('--tasks', options.tasks, 1_000_000);
      const shardSize = parseCount('--shard-size', options.shardSize, 10_000);
      const workers = parseCount('--workers', options.workers, 1000);
      const leaseLimit = parseCount('--lease-limit', options.leaseLimit, 1000);

      const folder = await mkdtemp(join(tmpdir(), 'macbatch-bench-'));
      const postgres = await openPostgres({ dataDir: join(folder, 'postgres') });
      try {
        const env = { ...terminal.env, MACBATCH_DATABASE_URL: postgres.url };
        const pool = await startLocalPool({ dataDir: folder, env, port: 0, workers: 0 });
        try {
          const client = new Client({ baseUrl: pool.url });
          const before = await tableBytes(postgres.url);
          const run = await runNoopJob(client, { tasks, shardSize, workers, leaseLimit }, terminal);
          const storedBytes = (await tableBytes(postgres.url)) - before;
          const items = tasks * shardSize;
          const summary = {
            tasks,
            items,
            shard_size: shardSize,
            workers,
            lease_limit: leaseLimit,
            seconds: run.seconds,
            tasks_per_second: tasks / run.seconds,
            items_per_second: items / run.seconds,
            lease_ms_p50: quantile(run.leaseMs, 0.5),
            lease_ms_p99: quantile(run.leaseMs, 0.99),
            complete_ms_p50: quantile(run.completeMs, 0.5),
            complete_ms_p99: quantile(run.completeMs, 0.99),
            bytes_stored_per_item: storedBytes / items,
            lease_expired_events: run.job.lease_expired_events,
          };
          if (options.json === true) printJson(terminal.stdout, summary);
          else {
            const rows = Object.entries(summary).map(([name, value]) => [name, Number(value.toFixed(2))]);
            printLine(terminal.stdout, table(['measure', 'value'], rows));
          }
          if (run.job.items.ok !== items)
            throw new Failure(EXIT.incomplete, `only ${run.job.items.ok} of ${items} items succeeded`);
        } finally {
          await pool.stop(terminal.forceQuit);
        }
      } finally {
        await postgres.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
}

function parseCount(option: string, text: string, max: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > max)
    throw new Failure(EXIT.usage, `${option} must be a number from 1 to ${max}`);
  return number;
}
