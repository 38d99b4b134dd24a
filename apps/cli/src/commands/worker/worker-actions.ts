import type { Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { addInstall } from './install.ts';
import { addJoin } from './join.ts';
import { addLogs } from './logs.ts';
import { addModels } from './models.ts';
import { addPauseActions } from './pause.ts';
import { addPurge } from './purge.ts';
import { addStartStop } from './start-stop.ts';
import { addStatus } from './status.ts';
import { addUninstall } from './uninstall.ts';

/** Adds one action, or several of one file, to the command `worker`. */
type AddAction = (worker: Command, terminal: Terminal) => void;

export const WORKER_ACTIONS: readonly AddAction[] = [
  addJoin,
  addInstall,
  addStatus,
  addModels,
  addLogs,
  addStartStop,
  addPauseActions,
  addUninstall,
  addPurge,
];
