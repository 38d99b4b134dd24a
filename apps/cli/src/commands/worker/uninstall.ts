import { uninstallService } from '@macbatch/service';
import type { Terminal } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { openService } from './open-service.ts';
import { type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

interface UninstallOptions extends WorkerIdentity {
  readonly yes?: boolean;
  readonly purge?: boolean;
}

/** Adds the action `uninstall`. */
export function addUninstall(worker: Command, terminal: Terminal): void {
  withWorkerIdentity(
    worker
      .command('uninstall')
      .description('hand back what the worker holds, and remove the service, its logs and its key'),
  )
    .option('-y, --yes', 'do not ask before the key and outcomes that were not sent are deleted')
    .addOption(new Option('--purge', 'the same as --yes').hideHelp())
    .option('--json', 'changes nothing: there is no output')
    .action(async (_: unknown, command: Command) => {
      const { id, yes = false, purge = false } = command.optsWithGlobals<UninstallOptions>();
      await uninstallService(await openService(terminal, id), { yes: yes || purge });
    });
}
