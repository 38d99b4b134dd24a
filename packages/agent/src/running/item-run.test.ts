import { expect, it } from 'vitest';
import { RunFailure, type RunResult, type Runtime } from '../runtimes/runtime.ts';
import { failures } from '../testing/scripted-runtime.ts';
import { runItem } from './item-run.ts';

const RESULT: RunResult = { output: '{"ok":true}', model: { name: 'm', digest: null }, usage: null };

/** Runs an item on a runtime that gives this answer. */
async function run(answer: Error | RunResult, signal: AbortSignal = new AbortController().signal) {
  let tries = 0;
  const runtime: Runtime = {
    name: 'scripted',
    offers: [],
    async run() {
      tries += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    close: async () => {},
  };
  const request = {
    job_type: 'noop',
    model: 'noop',
    params: {},
    payload: null,
    payloadText: 'null',
    signal,
  } as const;
  return { end: await runItem(runtime, 'item-1', request, () => 0.25), tries };
}

it('ends with the output and the model that ran', async () => {
  expect(await run(RESULT)).toEqual({
    end: { kind: 'outcome', outcome: { item_id: 'item-1', ...RESULT } },
    tries: 1,
  });
});

it('ends with the item’s error at a permanent failure', async () => {
  const { end } = await run(failures.permanent('too long'));
  expect(end).toEqual({
    kind: 'outcome',
    outcome: { item_id: 'item-1', error: { code: 'context_length_exceeded', message: 'too long' } },
  });
});

it('ends with the item’s error and what the refused answer cost', async () => {
  const ran = { model: { name: 'm', digest: null }, usage: { output_tokens: 7 } };
  const { end } = await run(new RunFailure('permanent', 'model_refused', 'no', { ran }));
  expect(end).toEqual({
    kind: 'outcome',
    outcome: { item_id: 'item-1', error: { code: 'model_refused', message: 'no' }, ...ran },
  });
});

it('reports a failure of this Mac, with the offers to withdraw', async () => {
  const withdraws = { reach: 'runtime', until: 'probe' } as const;
  expect(await run(failures.notHere('no model'))).toMatchObject({
    end: { kind: 'not_here', error: { code: 'model_not_found', message: 'no model' } },
  });
  expect(await run(failures.notHere().withdrawing(withdraws))).toMatchObject({ end: { withdraws } });
});

it.each(['rejected', 'wait', 'overload', 'interrupted', 'timeout', 'transient'] as const)(
  'runs an item once that fails with %s, and leaves the retry to the worker',
  async (failure) => {
    const thrown = new RunFailure(failure, 'server_error', 'no', { retryAfterMs: 7, bytesArrived: true });
    expect(await run(thrown)).toEqual({
      end: {
        kind: 'failed',
        failure,
        error: { code: 'server_error', message: 'no' },
        retryAfterMs: 7,
        bytesArrived: true,
        jitter: 0.25,
      },
      tries: 1,
    });
  },
);

it('treats an unknown error as a transient failure', async () => {
  expect(await run(new TypeError('x is not a function'))).toMatchObject({
    end: {
      kind: 'failed',
      failure: 'transient',
      error: { code: 'runtime_error', message: 'x is not a function' },
    },
  });
});

it('ends as aborted after an abort, for any error that the runtime throws', async () => {
  for (const answer of [failures.permanent(), failures.notHere(), new Error('socket closed')])
    expect(await run(answer, AbortSignal.abort())).toMatchObject({ end: { kind: 'aborted' } });
});

it('keeps a result that the runtime returns in spite of an abort', async () => {
  expect(await run(RESULT, AbortSignal.abort())).toMatchObject({ end: { kind: 'outcome' } });
});
