import {
  type ModelUsed,
  type Offer,
  RunFailure,
  type RunRequest,
  type Runtime,
} from '../runtimes/runtime.ts';

/** A runtime whose items end when the test ends them. */
export interface ScriptedRuntime extends Runtime {
  /** Numbers `n` of the payloads, in the order of their starts. */
  readonly started: readonly number[];
  /** Items that run now. */
  readonly running: readonly number[];
  /** Items whose run was aborted. */
  readonly aborted: readonly number[];
  /** Lets items end that wait for it, now or later. */
  release(...items: readonly number[]): void;
}

export interface Script {
  readonly offers?: readonly Offer[];
  /** Whether an item runs until it is released. */
  readonly hold?: (n: number) => boolean;
  /** Called at the end of a run. Returns what the item fails with, or nothing. */
  readonly fail?: (n: number) => RunFailure | undefined;
  readonly model?: ModelUsed;
  /** Ignores aborts, like a library that hangs. */
  readonly ignoresAborts?: boolean;
}

/** Creates a scripted runtime. The output of an item contains its number. */
export function scriptedRuntime(script: Script = {}): ScriptedRuntime {
  const started: number[] = [];
  const running: number[] = [];
  const aborted: number[] = [];
  const released = new Set<number>();
  let waiting: (() => void)[] = [];

  async function untilReleased(n: number, signal: AbortSignal): Promise<void> {
    while (!released.has(n)) {
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        if (script.ignoresAborts === true) return;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        if (signal.aborted) reject(signal.reason as Error);
      });
    }
  }

  return {
    name: 'scripted',
    started,
    running,
    aborted,
    offers: script.offers ?? [{ job_type: 'noop', model: 'noop' }],
    async run({ payload, signal }: RunRequest) {
      const { n } = payload as { readonly n: number };
      started.push(n);
      running.push(n);
      try {
        if (script.hold?.(n) === true) await untilReleased(n, signal);
        const failure = script.fail?.(n);
        if (failure !== undefined) throw failure;
        return {
          output: JSON.stringify({ item: n }),
          model: script.model ?? { name: 'scripted', digest: null },
          usage: null,
        };
      } finally {
        running.splice(running.indexOf(n), 1);
        if (signal.aborted) aborted.push(n);
      }
    },
    close: async () => {},
    release(...items) {
      for (const n of items) released.add(n);
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
  };
}

/** Makes failures of each class. */
export const failures = {
  permanent: (message = 'too long for it') => new RunFailure('permanent', 'context_length_exceeded', message),
  transient: (message = 'it broke') => new RunFailure('transient', 'timeout', message),
  wait: (message = 'it starts') => new RunFailure('wait', 'server_unreachable', message),
  notHere: (message = 'no such model') => new RunFailure('not_here', 'model_not_found', message),
};
