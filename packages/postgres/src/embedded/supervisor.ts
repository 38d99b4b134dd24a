/**
 * A program: runs a Postgres server on behalf of an owner and stops it when the owner lets go or dies.
 *
 * It is started with an IPC channel and in a session of its own. The channel's end is its only cue. The kernel
 * closes the channel however the owner ends, SIGKILL included; signals are ignored, since those that stop the
 * owner (Ctrl-C, a service manager) often reach this process too, and the owner still needs its database then.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { SupervisionOrder, SupervisionReport } from './supervision-order.ts';

const FAST_SHUTDOWN_MS = 30_000;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

supervise(readOrder(process.argv[2]));

function supervise(order: SupervisionOrder): void {
  if (!process.connected) return;
  const server = spawn(order.program, order.args, {
    cwd: order.cwd,
    ...order.user,
    stdio: ['ignore', 'ignore', 'inherit'],
  });

  let released = false;
  process.once('disconnect', () => {
    released = true;
    server.kill(order.stopSignal);
    setTimeout(() => server.kill('SIGQUIT'), FAST_SHUTDOWN_MS).unref();
  });
  server.once('error', (error) => tellEnd(`could not be run: ${error.message}`));
  server.once('exit', (code, signal) => {
    if (released && order.removeAfter !== undefined) {
      rmSync(order.removeAfter, { recursive: true, force: true, maxRetries: 3 });
    }
    tellEnd(`ended with ${signal ?? `code ${code}`}`);
  });
  if (server.pid !== undefined) tell({ postmaster: server.pid });
}

function tellEnd(how: string): void {
  tell({ ended: how });
  if (process.connected) process.disconnect();
}

function tell(message: SupervisionReport): void {
  // The owner may be gone at any moment, which the end of the channel tells anyway.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function readOrder(argument: string | undefined): SupervisionOrder {
  return JSON.parse(argument ?? 'null') as SupervisionOrder;
}
