#!/usr/bin/env node
import { messageOf } from '@macbatch/core';
import { createLog, limitYoungGeneration, shutdownSignals } from '@macbatch/process';
import { ControlConfig, readConfig } from '@macbatch/settings';
import { printNewKey, readKeyRequest } from './create-key.ts';
import { markRestored } from './mark-restored.ts';
import { serve } from './serve.ts';

/** Enough for the objects of a request. More only delays the collection of what streams have left behind. */
const YOUNG_MEGABYTES = 32;

limitYoungGeneration(YOUNG_MEGABYTES);
const log = createLog('control');
const signals = shutdownSignals(process);

/** Sends a message to the parent process, if there is one with a channel. */
function tellParent(message: object): void {
  if (process.connected) process.send?.(message);
}

try {
  const args = process.argv.slice(2);
  const config = readConfig(ControlConfig, process.env);
  if (args.length === 0) await serve(config, signals, { log, tellParent });
  else if (args.join(' ') === 'restored') await markRestored(config);
  else await printNewKey(config, readKeyRequest(args));
  process.exit(0);
} catch (error) {
  const reason = messageOf(error);
  log('control.failed', { error: reason });
  tellParent({ event: 'program.failed', error: reason });
  process.exit(1);
}
