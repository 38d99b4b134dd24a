import { Outcome } from '@macbatch/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { reportableEnd } from '../../running/reportable-end.ts';
import { oddChatReply } from '../../testing/odd-replies.ts';
import type { ItemEnd } from '../../worker/item-end.ts';
import { RunFailure } from '../runtime.ts';
import { endpointReply } from './completion-reply.ts';

/** How an item ends whose model server replied this. Fails for every error but a `RunFailure`. */
function endOf(reply: unknown): ItemEnd {
  try {
    const { output, model, usage } = endpointReply('chat', reply);
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

it('A3: every reply of a model server becomes an outcome that the contract accepts', () => {
  fc.assert(
    fc.property(oddChatReply, (reply) => {
      const end = reportableEnd(endOf(reply));
      if (end.kind !== 'outcome') throw new Error('not an outcome');
      // As it travels.
      const outcome = Outcome.parse(JSON.parse(JSON.stringify(end.outcome)));
      if (!('output' in outcome)) return;
      expect(outcome.output.isWellFormed()).toBe(true);
      expect(outcome.output).not.toMatch(/[\r\n]/);
      const [choice] = reply.choices;
      const { text } = JSON.parse(outcome.output) as { text: string };
      if (typeof choice?.message.content === 'string') expect(text).toBe(choice.message.content);
    }),
    { numRuns: 2000 },
  );
});
