#!/usr/bin/env node
import { createLog, readConfig, shutdownSignals } from '@macbatch/process';
import { ControlConfig } from './config.ts';
import { printNewKey, readKeyRequest } from './create-key.ts';
import { serve } from './serve.ts';

const log = createLog('control');
const signals = shutdownSignals(process);

/** To who spawned this process with a channel; it may have gone in the meantime. */
function tellParent(message: object): void {
  if (process.connected) process.send?.(message);
}

try {
  const args = process.argv.slice(2);
  const keyRequest = args.length === 0 ? null : readKeyRequest(args);
  const config = readConfig(ControlConfig, process.env);
  if (keyRequest === null) await serve(config, signals, { log, tellParent });
  else await printNewKey(config, keyRequest);
  process.exit(0);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  log('control.failed', { error: reason });
  tellParent({ event: 'program.failed', error: reason });
  process.exit(1);
}
