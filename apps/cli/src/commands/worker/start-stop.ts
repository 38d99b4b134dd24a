import { findService, restartService, type ServiceContext, upgradeService } from '@macbatch/service';
import type { Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { openService } from './open-service.ts';

/** The actions that change the process of the service. */
const ACTIONS: readonly {
  readonly name: string;
  readonly description: string;
  run(context: ServiceContext): Promise<void>;
}[] = [
  {
    name: 'start',
    description: 'start the service, and wait until the control plane has answered it',
    run: (context) => restartService(context, 'start'),
  },
  {
    name: 'stop',
    description: 'stop the service until it is started, or until the next login; it hands back what it holds',
    async run(context) {
      await (await findService(context)).manager.stop();
      context.say(
        'The worker is stopped. To keep it from leasing for a while: macbatch worker pause --until 2h',
      );
    },
  },
  {
    name: 'restart',
    description: 'stop and start the service, and wait until the control plane has answered it',
    run: (context) => restartService(context, 'restart'),
  },
  {
    name: 'upgrade',
    description: 'install the newest release in the way macbatch was installed, then restart the service',
    run: upgradeService,
  },
];

/** Adds the actions `start`, `stop`, `restart` and `upgrade`. */
export function addStartStop(worker: Command, terminal: Terminal): void {
  for (const { name, description, run } of ACTIONS)
    worker
      .command(name)
      .description(description)
      .option('--json', 'changes nothing: there is no output')
      .action(async () => run(await openService(terminal, undefined)));
}
