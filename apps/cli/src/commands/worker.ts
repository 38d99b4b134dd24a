import { runInForeground } from '@macbatch/local-pool';
import { DEFAULT_CONTROL_URL } from '@macbatch/settings';
import type { Terminal } from '@macbatch/terminal';
import { EXIT, Failure } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type EndpointOptions, withEndpoint, withEndpointOptions } from '../options/endpoint-options.ts';
import { addCommand } from './command-names.ts';
import { type PauseOptions, pauseOrResume } from './pause-worker.ts';

interface WorkerOptions extends EndpointOptions, PauseOptions {
  readonly token?: string;
  readonly concurrency?: string;
  readonly leaseLimit?: string;
}

/** Adds the command `worker`. */
export function addWorker(program: Command, terminal: Terminal): void {
  withEndpointOptions(addCommand(program, 'worker'))
    .option(
      '--url <url>',
      `URL of the control plane (default: the joined one, $MACBATCH_URL or ${DEFAULT_CONTROL_URL})`,
    )
    .option('--id <name>', 'name of this worker (default: the host name)')
    .option(
      '--token <token>',
      'for join: the token that macbatch keys invite printed (or $MACBATCH_JOIN_TOKEN)',
    )
    .option('--concurrency <items>', 'number of items to run concurrently (default: 8)')
    .option(
      '--lease-limit <tasks>',
      'most tasks to lease in one call (default: what the worker runs in 45 seconds)',
    )
    .option('--until <time>', 'for pause: when it ends by itself, such as 18:00, 90m or 12h')
    .option('--reason <text>', 'for pause: why, for people')
    .option('--drain', 'for pause: hand back what the worker has not started')
    .option('--json', 'for pause and resume: print JSON; the output of a worker is always JSON lines')
    .addHelpText(
      'after',
      '\nworker join URL --token T exchanges a token for the key of this worker, and stores the key.\nworker pause [NAME] keeps a worker from leasing, through the control plane; worker resume [NAME] ends that.\nworker purge empties the outbox of a worker that is not running: outcomes that it could not report are lost.',
    )
    .action(async (action: string | undefined, address: string | undefined, options: WorkerOptions) => {
      if (action === 'pause' || action === 'resume') return pauseOrResume(action, address, options, terminal);
      if (action !== undefined && action !== 'purge' && action !== 'join')
        throw new Failure(
          EXIT.usage,
          `worker accepts the actions join, pause, resume and purge, not "${action}"`,
        );
      if (options.until !== undefined || options.reason !== undefined || options.drain !== undefined)
        throw new Failure(EXIT.usage, '--until, --reason and --drain are for worker pause');
      if (action === 'join' && address === undefined)
        throw new Failure(EXIT.usage, 'worker join needs the URL of the control plane');
      const url =
        address ?? options.url ?? terminal.env['MACBATCH_CONTROL_URL'] ?? terminal.env['MACBATCH_URL'];
      const own = {
        ...(url === undefined ? {} : { MACBATCH_CONTROL_URL: url }),
        // Not as an argument: other users can see the arguments of a process.
        ...(options.token === undefined ? {} : { MACBATCH_JOIN_TOKEN: options.token }),
        ...(options.id === undefined ? {} : { MACBATCH_WORKER_ID: options.id }),
        ...(options.concurrency === undefined ? {} : { MACBATCH_CONCURRENCY: options.concurrency }),
        ...(options.leaseLimit === undefined ? {} : { MACBATCH_LEASE_LIMIT: options.leaseLimit }),
      };
      const end = await runInForeground(
        '@macbatch/worker',
        { ...withEndpoint(terminal, options), ...own },
        terminal,
        action === undefined ? [] : [action],
      );
      if (end !== 0) throw new Failure(typeof end === 'number' ? end : 1, '');
    });
}
