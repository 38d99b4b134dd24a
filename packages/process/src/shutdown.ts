import type { EventEmitter } from 'node:events';

/** The part of `process` that emits shutdown signals. */
export interface HostProcess extends EventEmitter {
  /** True while the parent has a channel to this process. */
  readonly connected?: boolean;
}

/**
 * Tells when to end. `asked` aborts at the first SIGTERM, SIGINT or SIGHUP, or when a parent that spawned this
 * process with a channel has gone. `forceQuit` aborts at a second signal.
 */
export function shutdownSignals(host: HostProcess): {
  readonly asked: AbortSignal;
  readonly forceQuit: AbortSignal;
} {
  const asked = new AbortController();
  const forceQuit = new AbortController();
  const onSignal = (signal: string) => {
    if (asked.signal.aborted) forceQuit.abort(new Error(`${signal} again`));
    else asked.abort(new Error(signal));
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) host.on(signal, () => onSignal(signal));
  host.on('disconnect', () => asked.abort(new Error('the parent process has exited')));
  return { asked: asked.signal, forceQuit: forceQuit.signal };
}

/** Resolves when the signal aborts, at once if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
