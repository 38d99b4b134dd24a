import { setTimeout as delay } from 'node:timers/promises';
import { RunFailure, type Runtime } from './runtime.ts';

/** Longest pause that an item may ask for. */
const MAX_PAUSE_MS = 600_000;

/**
 * Opens a runtime that does nothing, to measure the cost of the pool itself. It answers with the
 * payload's `n`, immediately or after the payload's `ms`.
 */
export function noop(): Runtime {
  return {
    name: 'noop',
    offers: [{ job_type: 'noop', model: 'noop' }],
    async run({ job_type, model, payload, signal }) {
      signal.throwIfAborted();
      if (job_type !== 'noop' || model !== 'noop') {
        throw new RunFailure('not_here', 'not_supported', `noop does not run ${job_type} with "${model}"`);
      }
      const ms = pauseOf(payload);
      if (ms > 0) {
        // The timer rejects with its own error. The signal's reason is the useful one.
        await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
      const n = memberOf(payload, 'n');
      return { output: JSON.stringify({ ok: true, n }), model: { name: 'noop', digest: null }, usage: null };
    },
    close: async () => {},
  };
}

function pauseOf(payload: unknown): number {
  const ms: unknown =
    typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'ms') : undefined;
  if (ms === undefined) return 0;
  if (typeof ms === 'number' && ms >= 0 && ms <= MAX_PAUSE_MS) return ms;
  throw new RunFailure(
    'permanent',
    'invalid_payload',
    `payload.ms must be a number of milliseconds up to ${MAX_PAUSE_MS}`,
  );
}

function memberOf(payload: unknown, name: string): unknown {
  return typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
}
