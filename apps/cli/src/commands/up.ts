import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { startLocalPool } from '@macbatch/local-pool';
import { EXIT, Failure, printJson, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { openInBrowser } from '../options/open-in-browser.ts';
import { addCommand } from './command-names.ts';

interface UpOptions {
  readonly port?: string;
  readonly host?: string;
  readonly dataDir?: string;
  readonly open?: boolean;
  readonly json?: boolean;
}

/** Returns the folder of this machine's embedded database and logs. */
export function dataDirOf(option: string | undefined, terminal: Terminal): string {
  return resolve(terminal.cwd, option ?? terminal.env['MACBATCH_DATA_DIR'] ?? '.macbatch');
}

/** Adds the command `up`. */
export function addUp(program: Command, terminal: Terminal): void {
  addCommand(program, 'up')
    .option('--port <port>', 'port to listen on (default: $MACBATCH_PORT or 7420)')
    .option('--host <host>', 'address to listen on (default: $MACBATCH_HOST or this machine only)')
    .option(
      '--data-dir <dir>',
      'folder of the database and the logs (default: $MACBATCH_DATA_DIR or .macbatch)',
    )
    .option('--open', 'open the web page in the browser')
    .option('--json', 'print JSON')
    .action(async (options: UpOptions) => {
      const port = Number(options.port ?? terminal.env['MACBATCH_PORT'] ?? 7420);
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        throw new Failure(EXIT.usage, '--port must be a number from 0 to 65535');
      const pool = await startLocalPool({
        dataDir: dataDirOf(options.dataDir, terminal),
        env: terminal.env,
        port,
        host: options.host ?? terminal.env['MACBATCH_HOST'],
        workers: 0,
      });
      if (options.json === true)
        printJson(terminal.stdout, { url: pool.url, pid: pool.control.pid, log: pool.control.logPath });
      else {
        printLine(terminal.stdout, `The control plane listens on ${pool.url}`);
        printLine(terminal.stdout, `The web page:    ${addressForOthers(pool.url)}`);
        printLine(terminal.stdout, `Start a worker:  macbatch worker --url ${addressForOthers(pool.url)}`);
        printLine(terminal.stdout, `Its log:         ${pool.control.logPath}`);
      }
      if (options.open === true) {
        const problem = await openInBrowser(addressForOthers(pool.url), terminal.env);
        if (problem !== null) printLine(terminal.stderr, `The page was not opened: ${problem}.`);
      }
      const end = await Promise.race([pool.control.exited, whenAborted(terminal.interrupted)]);
      await pool.stop(terminal.forceQuit);
      if (end !== undefined) {
        throw new Failure(
          EXIT.unavailable,
          `The control plane ended with ${end}. Its log: ${pool.control.logPath}`,
        );
      }
    });
}

/** Replaces an address that means "all interfaces" by the name of this machine. */
function addressForOthers(listening: string): string {
  const url = new URL(listening);
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = hostname();
  return url.origin;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}
