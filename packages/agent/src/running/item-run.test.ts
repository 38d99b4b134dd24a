import { expect, it } from 'vitest';
import type { RunFailure, RunResult, Runtime } from '../runtimes/runtime.ts';
import { failures } from '../testing/scripted-runtime.ts';
import { runItem } from './item-run.ts';

const RESULT: RunResult = { output: '{"ok":true}', model: { name: 'm', digest: null }, usage: null };

/** Runs an item on a runtime that gives these answers, one for each try, and repeats the last. Records the pauses. */
async function run(
  answers: readonly (RunFailure | Error | RunResult)[],
  world: { readonly signal?: AbortSignal; readonly onTry?: (n: number) => void; successes?: number } = {},
) {
  let tries = 0;
  const pauses: number[] = [];
  const runtime: Runtime = {
    name: 'scripted',
    offers: [],
    async run() {
      const answer = answers[Math.min(tries, answers.length - 1)];
      tries += 1;
      world.onTry?.(tries);
      if (answer === undefined) throw new Error('no answer was given');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    close: async () => {},
  };
  const signal = world.signal ?? new AbortController().signal;
  const end = await runItem(
    runtime,
    'item-1',
    { job_type: 'noop', model: 'noop', params: {}, payload: null, signal },
    {
      sleep: async (ms, asleep) => {
        pauses.push(ms);
        asleep.throwIfAborted();
      },
      successes: () => world.successes ?? 0,
      onSuccess: () => {
        world.successes = (world.successes ?? 0) + 1;
      },
    },
  );
  return { end, tries, pauses, successes: world.successes ?? 0 };
}

it('ends with the output and the model that ran', async () => {
  expect(await run([RESULT])).toEqual({
    end: { kind: 'outcome', outcome: { item_id: 'item-1', ...RESULT } },
    tries: 1,
    pauses: [],
    successes: 1,
  });
});

it('ends with the item’s error at a permanent failure, without a retry', async () => {
  const { end, tries, successes } = await run([failures.permanent('too long')]);
  expect(end).toEqual({
    kind: 'outcome',
    outcome: { item_id: 'item-1', error: { code: 'context_length_exceeded', message: 'too long' } },
  });
  expect([tries, successes]).toEqual([1, 0]);
});

it('does not retry what this Mac cannot run', async () => {
  expect(await run([failures.notHere('no model')])).toMatchObject({
    end: { kind: 'not_here', error: { code: 'model_not_found', message: 'no model' } },
    tries: 1,
  });
});

it('T6: fails the task after three transient failures', async () => {
  expect(await run([failures.transient('first'), failures.transient('last')])).toMatchObject({
    end: { kind: 'failed', error: { code: 'timeout', message: 'last' } },
    tries: 3,
    pauses: [1000, 2000],
  });
});

it('forgets transient failures when a retry succeeds', async () => {
  expect(await run([failures.transient(), failures.transient(), RESULT])).toMatchObject({
    end: { kind: 'outcome', outcome: { output: RESULT.output } },
    tries: 3,
  });
});

it('treats an unknown error as a transient failure', async () => {
  expect(await run([new TypeError('x is not a function')])).toMatchObject({
    end: { kind: 'failed', error: { code: 'runtime_error', message: 'x is not a function' } },
    tries: 3,
  });
});

it('waits for a starting server with growing pauses that count as no try', async () => {
  const answers = [
    ...Array.from({ length: 7 }, () => failures.wait()),
    failures.transient(),
    failures.transient(),
    RESULT,
  ];
  expect(await run(answers)).toMatchObject({
    end: { kind: 'outcome' },
    tries: 10,
    pauses: [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 1000, 2000],
  });
});

it('ends as not_here when the server stays down for everybody', async () => {
  const { end, tries, pauses } = await run([failures.wait('refused')]);
  expect(end).toEqual({ kind: 'not_here', error: { code: 'server_unreachable', message: 'refused' } });
  expect(tries).toBe(11);
  expect(pauses.reduce((sum, ms) => sum + ms)).toBe(181_000);
});

it('fails the item when the server answers others while the item waits', async () => {
  const world = {
    successes: 5,
    onTry(n: number) {
      if (n === 4) world.successes += 1;
    },
  };
  expect(await run([failures.wait('reset')], world)).toMatchObject({
    end: { kind: 'failed', error: { message: 'reset' } },
    tries: 11,
  });
});

it('ends as aborted after an abort, for any error that the runtime throws', async () => {
  const controller = new AbortController();
  const onTry = () => controller.abort();
  for (const answer of [failures.permanent(), failures.notHere(), new Error('socket closed')]) {
    expect(await run([answer], { signal: controller.signal, onTry })).toMatchObject({
      end: { kind: 'aborted' },
      tries: 1,
    });
  }
});

it('keeps a result that the runtime returns in spite of an abort', async () => {
  expect(await run([RESULT], { signal: AbortSignal.abort() })).toMatchObject({ end: { kind: 'outcome' } });
});

it('ends a pause when the signal aborts', async () => {
  const controller = new AbortController();
  const runtime: Runtime = {
    name: 'scripted',
    offers: [],
    run: () => Promise.reject(failures.wait()),
    close: async () => {},
  };
  const end = await runItem(
    runtime,
    'item-1',
    { job_type: 'noop', model: 'noop', params: {}, payload: null, signal: controller.signal },
    {
      sleep: (_ms, signal) => {
        const asleep = new Promise<void>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
        controller.abort();
        return asleep;
      },
      successes: () => 0,
      onSuccess: () => undefined,
    },
  );
  expect(end).toEqual({ kind: 'aborted' });
});

it('cuts a long message', async () => {
  const { end } = await run([failures.permanent('x'.repeat(50_000))]);
  expect(end).toMatchObject({ outcome: { error: { message: 'x'.repeat(2000) } } });
});
