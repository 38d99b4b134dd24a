import { runInPlace } from '@macbatch/local-pool';
import type { Terminal } from '@macbatch/terminal';
import { EXIT, Failure } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { DEFAULT_URL } from '../options/connection.ts';
import { type EndpointOptions, withEndpoint, withEndpointOptions } from '../options/endpoint-options.ts';

interface WorkerOptions extends EndpointOptions {
  readonly url?: string;
  readonly id?: string;
  readonly token?: string;
  readonly concurrency?: string;
  readonly leaseLimit?: string;
}

export function addWorker(program: Command, terminal: Terminal): void {
  withEndpointOptions(
    program
      .command('worker [action] [address]')
      .description('run a worker on this machine until Ctrl-C; prints JSON lines'),
  )
    .option('--url <url>', `the control plane (default: the joined one, $MACBATCH_URL or ${DEFAULT_URL})`)
    .option('--id <name>', 'name of this worker (default: the host name)')
    .option('--token <token>', 'for join: what macbatch keys invite has printed (or $MACBATCH_JOIN_TOKEN)')
    .option('--concurrency <items>', 'items run at once (default: 8)')
    .option('--lease-limit <tasks>', 'most tasks asked for at once (default: what it does in 45 seconds)')
    .addOption(new Option('--json', 'the output is JSON lines in any case').hideHelp())
    .addHelpText(
      'after',
      '\nworker join URL --token T exchanges a token for the key of this worker, and keeps it.\nworker purge empties the outbox of a worker that does not run: what it finished and could not report is lost.',
    )
    .action(async (action: string | undefined, address: string | undefined, options: WorkerOptions) => {
      if (action !== undefined && action !== 'purge' && action !== 'join')
        throw new Failure(EXIT.usage, `worker takes join and purge, not "${action}"`);
      if (action === 'join' && address === undefined)
        throw new Failure(EXIT.usage, 'worker join takes the URL of the control plane');
      const url =
        address ?? options.url ?? terminal.env['MACBATCH_CONTROL_URL'] ?? terminal.env['MACBATCH_URL'];
      const own = {
        ...(url === undefined ? {} : { MACBATCH_CONTROL_URL: url }),
        // Not as an argument: those of a process are for everybody to see.
        ...(options.token === undefined ? {} : { MACBATCH_JOIN_TOKEN: options.token }),
        ...(options.id === undefined ? {} : { MACBATCH_WORKER_ID: options.id }),
        ...(options.concurrency === undefined ? {} : { MACBATCH_CONCURRENCY: options.concurrency }),
        ...(options.leaseLimit === undefined ? {} : { MACBATCH_LEASE_LIMIT: options.leaseLimit }),
      };
      const ended = await runInPlace(
        '@macbatch/worker',
        { ...withEndpoint(terminal.env, options), ...own },
        terminal,
        action === undefined ? [] : [action],
      );
      if (ended !== 0) throw new Failure(typeof ended === 'number' ? ended : 1, '');
    });
}
