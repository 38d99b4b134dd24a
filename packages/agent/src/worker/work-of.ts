import type { Outcome } from '@macbatch/contract';

/** A token that is read takes about this part of the time of a token that is written. */
const READ_TOKEN = 1 / 16;

/** How much work an output was, in written tokens; 1 if its server does not count them. Null for an item without an output. */
export function workOf(outcome: Outcome): number | null {
  if (!('output' in outcome)) return null;
  const { output_tokens: written = 0, input_tokens: read = 0 } = outcome.usage ?? {};
  const work = written + read * READ_TOKEN;
  return Number.isFinite(work) && work > 0 ? work : 1;
}
