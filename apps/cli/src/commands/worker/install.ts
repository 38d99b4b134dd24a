import { userInfo } from 'node:os';
import { installService } from '@macbatch/service';
import type { Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { openService } from './open-service.ts';
import { type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

interface InstallOptions extends WorkerIdentity {
  readonly boot?: boolean;
}

/** Adds the action `install`. */
export function addInstall(worker: Command, terminal: Terminal): void {
  withWorkerIdentity(
    worker
      .command('install')
      .description(
        'run the worker as a service of launchd or systemd: it starts at login, and again after a crash',
      ),
  )
    .option('--boot', 'start with the machine, without a login (on a Mac, sudo asks for a password)')
    .option('--json', 'changes nothing: there is no output')
    .action(async (_: unknown, command: Command) => {
      const { id, boot = false } = command.optsWithGlobals<InstallOptions>();
      await installService(await openService(terminal, id), { boot, userName: userInfo().username });
    });
}
