import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startLocalPool } from '@macbatch/local-pool';
import { printLine, type Terminal } from '@macbatch/terminal';
import { createClient } from '../options/connection.ts';
import type { FileJob } from '../options/job-draft.ts';
import { dryRun } from './preview.ts';

/** Shows what a job would hold. Asks the ledger of the local database if there is one, and starts no worker. */
export async function dryRunLocally(
  job: FileJob,
  dataDir: string,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const hasDatabase =
    existsSync(join(dataDir, 'postgres')) || terminal.env['MACBATCH_DATABASE_URL'] !== undefined;
  if (!hasDatabase) return await dryRun(job, { notAsked: 'there is no database yet' }, json, terminal);
  printLine(terminal.stderr, 'starting Postgres and a control plane, to ask the ledger');
  const pool = await startLocalPool({ dataDir, env: terminal.env, port: 0, workers: 0 });
  try {
    await dryRun(job, createClient(pool.url, terminal), json, terminal);
  } finally {
    await pool.stop(terminal.forceQuit);
  }
}
