import type { Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { addJoin } from './join.ts';
import { addModels } from './models.ts';
import { addPauseActions } from './pause.ts';
import { addPurge } from './purge.ts';

/** Adds one action, or several of one file, to the command `worker`. */
type AddAction = (worker: Command, terminal: Terminal) => void;

export const WORKER_ACTIONS: readonly AddAction[] = [addJoin, addModels, addPauseActions, addPurge];
