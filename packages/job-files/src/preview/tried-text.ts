import { duration, printable, table } from '@macbatch/terminal';
import { estimateRest } from './rest-estimate.ts';
import { measured, type TriedOutcome } from './tried-outcome.ts';

const SHOWN_CHARACTERS = 48;

/** Shows the input, the output, the tokens and the time of each tried item. */
export function triedText(outcomes: readonly TriedOutcome[]): string {
  return table(
    ['item', 'input', 'output', 'tokens in', 'tokens out', 's'],
    outcomes.map((outcome) => {
      const [item] = measured([outcome]);
      return [
        shortened(outcome.id, 20),
        shortened(outcome.input, SHOWN_CHARACTERS),
        shortened(outcome.output, SHOWN_CHARACTERS),
        outcome.inputTokens,
        outcome.outputTokens,
        item === undefined ? '–' : ((item.endedMs - item.leasedMs) / 1000).toFixed(1),
      ];
    }),
  );
}

/** Says how long the other items should take, if enough is known. */
export function restText(outcomes: readonly TriedOutcome[], restItems: number): string {
  const estimate = estimateRest(
    measured(outcomes).map(({ leasedMs, endedMs, inputTokens, outputTokens }) => ({
      leasedMs,
      endedMs,
      tokens: inputTokens + outputTokens,
    })),
    restItems,
  );
  const rest = `the other ${restItems.toLocaleString('en')} items`;
  if (estimate === null)
    return `${rest}: no estimate, because none of the tried items ran. Their outputs come from the ledger.`;
  const { likelySeconds, lowSeconds, highSeconds, tokens } = estimate;
  const total = tokens === 0 ? '' : `, about ${Math.round(tokens).toLocaleString('en')} tokens`;
  return `${rest}: about ${duration(likelySeconds)}, from ${duration(lowSeconds)} to ${duration(highSeconds)}${total}`;
}

function shortened(text: string, length: number): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
