import type { Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { runWorkerProgram, type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

interface ModelsOptions extends WorkerIdentity {
  readonly json?: boolean;
}

/** Adds the action `models`. */
export function addModels(worker: Command, terminal: Terminal): void {
  withWorkerIdentity(
    worker
      .command('models')
      .description('list the model servers of this machine, their models, and what the worker cannot run'),
  )
    .option('--json', 'print JSON')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ModelsOptions>();
      await runWorkerProgram(options.json === true ? ['models', '--json'] : ['models'], terminal, options);
    });
}
