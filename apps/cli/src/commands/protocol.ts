import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type LocalPool, startLocalPool } from '@macbatch/local-pool';
import { markdown, runProtocol, secondsPerHour } from '@macbatch/protocol';
import { EXIT, Failure, say, sayJson, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { clientOf } from '../options/connection.ts';

interface ProtocolCommandOptions {
  readonly url?: string;
  readonly hours?: string;
  readonly compress: string;
  readonly items: string;
  readonly lease: string;
  readonly patience: string;
  readonly output?: string;
  readonly json?: boolean;
}

/** Leases of workers that renew, as a control plane grants them by default. */
const DEFAULT_LEASE_SECONDS = 90;
/** Leases of a throwaway deployment: the protocol does not wait long for one to expire. */
const SHORT_LEASE_SECONDS = 6;

export function addProtocol(program: Command, terminal: Terminal): void {
  program
    .command('protocol')
    .description('run the 48-hour durability protocol, compressed or in real time; exit 1 if any step fails')
    .option(
      '--url <url>',
      'a deployment to run it against (default: a throwaway one); only its own workers are killed',
    )
    .option('--hours <n>', 'in real time, over so many hours')
    .option('--compress <span>', 'how long 48 hours take', '48h=3m')
    .option('--items <n>', 'items of the job', '400')
    .option(
      '--lease <seconds>',
      'how long a renewed lease of the given deployment holds',
      String(DEFAULT_LEASE_SECONDS),
    )
    .option('--patience <seconds>', 'how long something that should be quick may take', '60')
    .option(
      '-o, --output <folder>',
      'where report.md, report.json and the workers’ logs go',
      'protocol-report',
    )
    .option('--json', 'print the report as JSON')
    .action(async (options: ProtocolCommandOptions) => {
      const items = Number(options.items);
      if (!Number.isInteger(items) || items < 20 || items > 1_000_000)
        throw new Failure(EXIT.usage, '--items: 20 to 1000000');
      const folder = resolve(terminal.cwd, options.output ?? 'protocol-report');
      const span = secondsPerHour({
        compress: options.compress,
        ...(options.hours === undefined ? {} : { hours: options.hours }),
      });
      mkdirSync(folder, { recursive: true });
      const throwaway = options.url === undefined ? await startThrowaway(terminal) : null;
      try {
        const report = await runProtocol(
          {
            client: clientOf(options.url ?? throwaway?.pool.url ?? '', terminal),
            folder,
            env: terminal.env,
            secondsPerHour: span,
            items,
            leaseSeconds: throwaway === null ? positive('--lease', options.lease) : SHORT_LEASE_SECONDS,
            patienceSeconds: positive('--patience', options.patience),
          },
          terminal,
        );
        writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
        writeFileSync(join(folder, 'report.md'), markdown(report));
        if (options.json === true) sayJson(terminal.stdout, report);
        else say(terminal.stdout, markdown(report));
        if (report.verdict === 'failed')
          throw new Failure(EXIT.incomplete, `The protocol has failed; see ${join(folder, 'report.md')}`);
      } finally {
        await throwaway?.remove(terminal.forceQuit);
      }
    });
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Failure(EXIT.usage, `${option}: a number of seconds`);
  return number;
}

async function startThrowaway(
  terminal: Terminal,
): Promise<{ readonly pool: LocalPool; remove(forceQuit: AbortSignal): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'macbatch-protocol-'));
  const env = { ...terminal.env, MACBATCH_RENEWED_LEASE_SECONDS: String(SHORT_LEASE_SECONDS) };
  const pool = await startLocalPool({ dataDir, env, port: 0, workers: 0 });
  return {
    pool,
    async remove(forceQuit) {
      await pool.stop(forceQuit);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
