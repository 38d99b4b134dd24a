import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type LocalPool, startLocalPool } from '@macbatch/local-pool';
import { reportMarkdown, runProtocol, secondsPerHour } from '@macbatch/protocol';
import { EXIT, Failure, printJson, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { createClient } from '../options/connection.ts';
import { addCommand } from './command-names.ts';

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

/** A control plane's default lease for workers that renew. */
const DEFAULT_LEASE_SECONDS = 90;
/** Short, so that the protocol does not wait long for a lease to expire. */
const SHORT_LEASE_SECONDS = 6;

/** Adds the command `protocol`. */
export function addProtocol(program: Command, terminal: Terminal): void {
  addCommand(program, 'protocol')
    .option(
      '--url <url>',
      'control plane to test (default: a temporary one); kills only the workers of the protocol',
    )
    .option('--hours <n>', 'run in real time, over this many hours')
    .option('--compress <span>', 'real time that 48 hours take', '48h=3m')
    .option('--items <n>', 'items of the job', '400')
    .option(
      '--lease <seconds>',
      'seconds until a lease of that control plane expires',
      String(DEFAULT_LEASE_SECONDS),
    )
    .option('--patience <seconds>', 'time limit for what should be quick', '60')
    .option(
      '-o, --output <folder>',
      'folder for report.md, report.json and the logs of the workers',
      'protocol-report',
    )
    .option('--json', 'print the report as JSON')
    .action(async (options: ProtocolCommandOptions) => {
      const items = Number(options.items);
      if (!Number.isInteger(items) || items < 20 || items > 1_000_000)
        throw new Failure(EXIT.usage, '--items must be a number from 20 to 1000000');
      const folder = resolve(terminal.cwd, options.output ?? 'protocol-report');
      const hourSeconds = secondsPerHour({
        compress: options.compress,
        ...(options.hours === undefined ? {} : { hours: options.hours }),
      });
      mkdirSync(folder, { recursive: true });
      const temporary = options.url === undefined ? await startTemporaryPool(terminal) : null;
      try {
        const report = await runProtocol(
          {
            client: createClient(options.url ?? temporary?.pool.url ?? '', terminal),
            folder,
            env: terminal.env,
            secondsPerHour: hourSeconds,
            items,
            leaseSeconds: temporary === null ? parseSeconds('--lease', options.lease) : SHORT_LEASE_SECONDS,
            patienceSeconds: parseSeconds('--patience', options.patience),
          },
          terminal,
        );
        writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
        writeFileSync(join(folder, 'report.md'), reportMarkdown(report));
        if (options.json === true) printJson(terminal.stdout, report);
        else printLine(terminal.stdout, reportMarkdown(report));
        if (report.verdict === 'failed')
          throw new Failure(EXIT.incomplete, `The protocol failed; see ${join(folder, 'report.md')}`);
      } finally {
        await temporary?.remove(terminal.forceQuit);
      }
    });
}

function parseSeconds(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Failure(EXIT.usage, `${option} must be a number of seconds above 0`);
  return number;
}

async function startTemporaryPool(
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
