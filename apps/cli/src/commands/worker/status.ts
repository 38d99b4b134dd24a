import { WorkerView } from '@macbatch/contract';
import { serviceStatus } from '@macbatch/service';
import { EXIT, Failure, printable, printJson, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { openService } from './open-service.ts';
import { statusRows } from './status-rows.ts';
import { type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

interface StatusOptions extends WorkerIdentity {
  readonly json?: boolean;
}

/** Adds the action `status`. */
export function addStatus(worker: Command, terminal: Terminal): void {
  withWorkerIdentity(
    worker.command('status').description('show what the worker of this machine does, or why it does nothing'),
  )
    .option('--json', 'print JSON')
    .action(async (_: unknown, command: Command) => {
      const { id, json } = command.optsWithGlobals<StatusOptions>();
      const status = await serviceStatus(await openService(terminal, id));
      const view = WorkerView.safeParse(status.worker.view);
      if (json === true) printJson(terminal.stdout, status);
      else
        for (const [name, text] of statusRows(status, view.success ? view.data : null, new Date()))
          printLine(terminal.stdout, `${name.padEnd(14)}${printable(text)}`);
      if (!(view.success && view.data.alive)) throw new Failure(EXIT.incomplete, '');
    });
}
