import { runInForeground } from '@macbatch/local-pool';
import { Failure, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';

export interface WorkerIdentity {
  readonly url?: string;
  readonly id?: string;
}

/** Adds the option with the name of a worker. */
export function withWorkerIdentity(command: Command): Command {
  return command.option('--id <name>', 'name of this worker (default: the host name)');
}

/** Runs the worker's program until it ends, with variables on top of the terminal's. Throws if it fails. */
export async function runWorkerProgram(
  args: readonly string[],
  terminal: Terminal,
  { url, id }: WorkerIdentity,
  variables: Terminal['env'] = {},
): Promise<void> {
  const address = url ?? terminal.env['MACBATCH_CONTROL_URL'] ?? terminal.env['MACBATCH_URL'];
  const end = await runInForeground(
    '@macbatch/worker',
    {
      ...terminal.env,
      ...variables,
      ...(address === undefined ? {} : { MACBATCH_CONTROL_URL: address }),
      ...(id === undefined ? {} : { MACBATCH_WORKER_ID: id }),
    },
    terminal,
    args,
  );
  if (end !== 0) throw new Failure(typeof end === 'number' ? end : 1, '');
}
