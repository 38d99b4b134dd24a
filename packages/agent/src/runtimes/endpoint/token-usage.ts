import { isRecord, member } from '../json-value.ts';
import type { RunResult } from '../runtime.ts';

const MAX_MEMBERS = 50;
const MAX_COUNT = 1e12;

/** Names under which servers count the tokens of a request and of its answer. */
const INPUT_NAMES = ['prompt_tokens', 'input_tokens'];
const OUTPUT_NAMES = ['completion_tokens', 'output_tokens'];

/**
 * Reads the usage of a reply: the tokens of the request and of the answer, and every other number that the server
 * counts, such as `prompt_tokens_details.cached_tokens`. Leaves out what cannot be a count: negative and infinite
 * numbers, token counts with a fraction, texts.
 */
export function tokenUsage(usage: unknown): RunResult['usage'] {
  if (!isRecord(usage)) return null;
  const counted = (names: readonly string[]) =>
    names.map((name) => member(usage, name)).find((count) => isCount(count) && Number.isInteger(count));
  const input = counted(INPUT_NAMES);
  const output = counted(OUTPUT_NAMES);
  return {
    ...(isCount(input) ? { input_tokens: input } : {}),
    ...(isCount(output) ? { output_tokens: output } : {}),
    ...Object.fromEntries(otherCounts(usage)),
  };
}

function otherCounts(usage: Readonly<Record<string, unknown>>): readonly (readonly [string, number])[] {
  const taken = new Set([...INPUT_NAMES, ...OUTPUT_NAMES]);
  return Object.entries(usage)
    .filter(([name]) => !taken.has(name))
    .flatMap(([name, value]) =>
      isRecord(value)
        ? Object.entries(value).map(([inner, count]) => [`${name}.${inner}`, count] as const)
        : [[name, value] as const],
    )
    .flatMap(([name, value]) =>
      isCount(value) && /^[\w.-]{1,100}$/.test(name) && isWholeIfTokens(name, value)
        ? [[name, value] as const]
        : [],
    )
    .slice(0, MAX_MEMBERS);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT;
}

/** A cost has a fraction; a number of tokens has none. */
function isWholeIfTokens(name: string, value: number): boolean {
  return Number.isInteger(value) || !name.endsWith('_tokens');
}
