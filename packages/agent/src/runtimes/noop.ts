import { RunFailure, type RunResult, type Runtime } from '../runtime.ts';

const ANSWER: RunResult = { output: '{"ok":true}', model: { name: 'noop', digest: null }, usage: null };

/** Answers at once, whatever the item says: what is left is the cost of the pool itself. */
export function noop(): Runtime {
  return {
    name: 'noop',
    offers: () => [{ job_type: 'noop', model: 'noop' }],
    async run({ job_type, model, signal }) {
      signal.throwIfAborted();
      if (job_type !== 'noop' || model !== 'noop') {
        throw new RunFailure('not_here', 'not_supported', `noop does not run ${job_type} with "${model}"`);
      }
      return ANSWER;
    },
    close: async () => {},
  };
}
