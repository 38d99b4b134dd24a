import { Outcome } from '@macbatch/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { reportableEnd } from '../../running/reportable-end.ts';
import { oddChatReply, oddEmbeddingReply } from '../../testing/odd-replies.ts';
import type { ItemEnd } from '../../worker/item-end.ts';
import { RunFailure } from '../runtime.ts';
import { endpointReply } from './completion-reply.ts';
import type { EndpointJobType } from './completion-request.ts';

/** How an item ends whose model server replied this. Fails for every error but a `RunFailure`. */
function endOf(reply: unknown, jobType: EndpointJobType = 'chat'): ItemEnd {
  try {
    const { output, model, usage } = endpointReply(jobType, reply);
    return {
      kind: 'outcome',
      outcome: { item_id: 'a', output, model: { name: model ?? 'm', digest: null }, usage },
    };
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    return {
      kind: 'outcome',
      outcome: { item_id: 'a', error: { code: error.code, message: error.message } },
    };
  }
}

/** The outcome as it travels, after the contract has accepted it. */
function reported(end: ItemEnd): Outcome {
  const reportable = reportableEnd(end);
  if (reportable.kind !== 'outcome') throw new Error('not an outcome');
  return Outcome.parse(JSON.parse(JSON.stringify(reportable.outcome)));
}

it('A3: every reply to a text to embed becomes an outcome, and every vector has numbers only', () => {
  fc.assert(
    fc.property(oddEmbeddingReply, (reply) => {
      const outcome = reported(endOf(reply, 'embed'));
      if (!('output' in outcome)) return;
      const { embedding, dimensions } = JSON.parse(outcome.output) as {
        embedding: unknown[];
        dimensions: number;
      };
      expect(embedding).toHaveLength(dimensions);
      expect(embedding.every((x) => typeof x === 'number')).toBe(true);
    }),
    { numRuns: 400 },
  );
});

it('A3: every reply of a model server becomes an outcome that the contract accepts', () => {
  fc.assert(
    fc.property(oddChatReply, (reply) => {
      const outcome = reported(endOf(reply));
      if (!('output' in outcome)) return;
      expect(outcome.output.isWellFormed()).toBe(true);
      expect(outcome.output).not.toMatch(/[\r\n]/);
      const [choice] = reply.choices;
      const { text } = JSON.parse(outcome.output) as { text: string };
      if (typeof choice?.message.content === 'string') expect(text).toBe(choice.message.content);
    }),
    { numRuns: 400 },
  );
});
