import type { EventEmitter } from 'node:events';

/** The parts of `process` that a program's end depends on. */
export interface HostProcess extends EventEmitter {
  /** True when the parent holds a channel to this process. */
  readonly connected?: boolean;
}

/**
 * When to end. `asked` aborts at the first SIGTERM, SIGINT or SIGHUP, or when the parent that spawned this
 * process with a channel has gone; `insisted` aborts at a second signal.
 */
export function shutdownSignals(host: HostProcess): {
  readonly asked: AbortSignal;
  readonly insisted: AbortSignal;
} {
  const asked = new AbortController();
  const insisted = new AbortController();
  const onSignal = (signal: string) => {
    if (asked.signal.aborted) insisted.abort(new Error(`${signal} again`));
    else asked.abort(new Error(signal));
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) host.on(signal, () => onSignal(signal));
  host.on('disconnect', () => asked.abort(new Error('the parent process has gone')));
  return { asked: asked.signal, insisted: insisted.signal };
}

/** Resolves when the signal aborts, at once if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
