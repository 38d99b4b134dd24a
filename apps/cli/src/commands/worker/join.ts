import type { Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { runWorkerProgram, type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

interface JoinOptions extends WorkerIdentity {
  readonly token?: string;
}

/** Adds the action `join`. */
export function addJoin(worker: Command, terminal: Terminal): void {
  withWorkerIdentity(
    worker
      .command('join <url>')
      .description('exchange an invitation for the key of this worker, and store it'),
  )
    .option('--token <token>', 'the token that macbatch keys invite printed (or $MACBATCH_JOIN_TOKEN)')
    .option('--json', 'changes nothing: the output is JSON lines')
    .action(async (url: string, _: unknown, command: Command) => {
      const { id, token } = command.optsWithGlobals<JoinOptions>();
      // Not as an argument: other users can see the arguments of a process.
      const variables = token === undefined ? {} : { MACBATCH_JOIN_TOKEN: token };
      await runWorkerProgram(['join'], terminal, { url, ...(id === undefined ? {} : { id }) }, variables);
    });
}
