import type { EventEmitter } from 'node:events';

/** The part of `process` that emits shutdown signals. */
export interface HostProcess extends EventEmitter {
  /** True while the parent has a channel to this process. */
  readonly connected?: boolean;
}

/**
 * Returns the signals of a shutdown. `shutdownRequested` aborts at the first SIGTERM, SIGINT or SIGHUP, or when the
 * parent at the other end of this process's channel exits. `forceQuit` aborts at a signal after that.
 */
export function shutdownSignals(host: HostProcess): {
  readonly shutdownRequested: AbortSignal;
  readonly forceQuit: AbortSignal;
} {
  const shutdownRequested = new AbortController();
  const forceQuit = new AbortController();
  const onSignal = (signal: string) => {
    if (shutdownRequested.signal.aborted) forceQuit.abort(new Error(`${signal} during shutdown`));
    else shutdownRequested.abort(new Error(signal));
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) host.on(signal, () => onSignal(signal));
  host.on('disconnect', () => shutdownRequested.abort(new Error('the parent process has exited')));
  return { shutdownRequested: shutdownRequested.signal, forceQuit: forceQuit.signal };
}

/** Resolves when the signal aborts, or immediately if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
