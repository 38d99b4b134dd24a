/**
 * A program that runs a Postgres server for an owner, and stops the server when the owner releases it or dies.
 *
 * It has an IPC channel to its owner, and its own session. It stops when the channel closes; the kernel closes the
 * channel even if the owner is killed. It ignores signals, because Ctrl-C or a service manager may send them to this
 * process too while the owner still needs its database.
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
  server.once('error', (error) => reportEnd(`could not be run: ${error.message}`));
  server.once('exit', (code, signal) => {
    if (released && order.removeAfter !== undefined) {
      rmSync(order.removeAfter, { recursive: true, force: true, maxRetries: 3 });
    }
    reportEnd(`ended with ${signal ?? `code ${code}`}`);
  });
  if (server.pid !== undefined) report({ postmaster: server.pid });
}

function reportEnd(how: string): void {
  report({ ended: how });
  if (process.connected) process.disconnect();
}

function report(message: SupervisionReport): void {
  // The owner may die at any moment. Then the channel closes.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function readOrder(argument: string | undefined): SupervisionOrder {
  return JSON.parse(argument ?? 'null') as SupervisionOrder;
}
