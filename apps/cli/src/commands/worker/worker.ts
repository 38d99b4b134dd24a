import { DEFAULT_CONTROL_URL } from '@macbatch/settings';
import { EXIT, Failure, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type EndpointOptions, withEndpoint, withEndpointOptions } from '../../options/endpoint-options.ts';
import { addCommand } from '../command-names.ts';
import { WORKER_ACTIONS } from './worker-actions.ts';
import { runWorkerProgram, type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

interface RunOptions extends EndpointOptions, WorkerIdentity {
  readonly concurrency?: string;
  readonly gentle?: boolean;
  readonly leaseLimit?: string;
}

/** Adds the command `worker` with its actions. Without an action, it runs a worker. */
export function addWorker(program: Command, terminal: Terminal): void {
  const worker = addCommand(program, 'worker').enablePositionalOptions();
  withEndpointOptions(
    withWorkerIdentity(worker)
      .option(
        '--url <url>',
        `URL of the control plane (default: the joined one, $MACBATCH_URL or ${DEFAULT_CONTROL_URL})`,
      )
      .option('--concurrency <items>', 'number of items to run concurrently (default: 8)')
      .option(
        '--gentle',
        'run at most half as many items concurrently as this Mac and its model servers could',
      )
      .option(
        '--lease-limit <tasks>',
        'most tasks to lease in one call (default: what the worker runs in 45 seconds)',
      )
      .option('--json', 'changes nothing: the output of a worker is always JSON lines'),
  ).action(async (unknown: string | undefined, options: RunOptions) => {
    if (unknown !== undefined) {
      const names = worker.commands.map((command) => command.name()).toSorted();
      throw new Failure(EXIT.usage, `worker has no action "${unknown}"; there are ${names.join(', ')}`);
    }
    await runWorkerProgram([], terminal, options, {
      ...withEndpoint(terminal, options),
      ...(options.concurrency === undefined ? {} : { MACBATCH_CONCURRENCY: options.concurrency }),
      ...(options.gentle === true ? { MACBATCH_GENTLE: '1' } : {}),
      ...(options.leaseLimit === undefined ? {} : { MACBATCH_LEASE_LIMIT: options.leaseLimit }),
    });
  });
  for (const addAction of WORKER_ACTIONS) addAction(worker, terminal);
}
