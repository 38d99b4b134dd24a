import type { Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { runWorkerProgram, type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

/** Adds the action `purge`. */
export function addPurge(worker: Command, terminal: Terminal): void {
  withWorkerIdentity(
    worker
      .command('purge')
      .description(
        'empty the outbox of a worker that is not running: outcomes that it could not report are lost',
      ),
  )
    .option('--json', 'changes nothing: the output is JSON lines')
    .action((_: unknown, command: Command) =>
      runWorkerProgram(['purge'], terminal, command.optsWithGlobals<WorkerIdentity>()),
    );
}
