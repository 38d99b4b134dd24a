import { setTimeout } from 'node:timers/promises';
import { LogFollower, logText, newestLines, serviceLog } from '@macbatch/service';
import { EXIT, Failure, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { openService } from './open-service.ts';

interface LogsOptions {
  readonly follow?: boolean;
  readonly lines: string;
  readonly json?: boolean;
}

const POLL_MS = 500;

/** Adds the action `logs`. */
export function addLogs(worker: Command, terminal: Terminal): void {
  worker
    .command('logs')
    .description('show the log of the service')
    .option('-f, --follow', 'show new lines until Ctrl-C')
    .option('-n, --lines <n>', 'number of lines to begin with', '100')
    .option('--json', 'print the lines as they are: JSON')
    .action(async (_: unknown, command: Command) => {
      const { follow, lines: wanted, json } = command.optsWithGlobals<LogsOptions>();
      const count = Number(wanted);
      if (!Number.isInteger(count) || count < 0)
        throw new Failure(EXIT.usage, `--lines must be a whole number, not "${wanted}"`);
      const path = serviceLog(await openService(terminal, undefined));
      const print = (line: string) => printLine(terminal.stdout, json === true ? line : logText(line));
      const log = await LogFollower.atEnd(path);
      const lines = await newestLines(path, count);
      for (const line of lines) print(line);
      if (lines.length === 0 && count > 0) printLine(terminal.stderr, `There is no log yet at ${path}`);
      try {
        while (follow === true && !terminal.interrupted.aborted) {
          for (const line of await log.read()) print(line);
          await setTimeout(POLL_MS, undefined, { signal: terminal.interrupted }).catch(() => undefined);
        }
      } finally {
        await log.close();
      }
    });
}
