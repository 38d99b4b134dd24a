/** The tokens of a batch, as OpenAI counts them. */
export interface BatchUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

const CACHED = ['prompt_tokens_details.cached_tokens', 'input_tokens_details.cached_tokens'] as const;
const REASONING = [
  'completion_tokens_details.reasoning_tokens',
  'output_tokens_details.reasoning_tokens',
] as const;

/** Sums the tokens of outcomes. */
export class BatchUsageSum {
  #input = 0;
  #cached = 0;
  #output = 0;
  #reasoning = 0;

  /** Adds the usage of one outcome: JSON text, or null when the server counted nothing. */
  add(usage: string | null): void {
    if (usage === null) return;
    const counts: unknown = JSON.parse(usage);
    this.#input += count(counts, 'input_tokens');
    this.#cached += count(counts, ...CACHED);
    this.#output += count(counts, 'output_tokens');
    this.#reasoning += count(counts, ...REASONING);
  }

  sum(): BatchUsage {
    return {
      input_tokens: this.#input,
      input_tokens_details: { cached_tokens: this.#cached },
      output_tokens: this.#output,
      output_tokens_details: { reasoning_tokens: this.#reasoning },
      total_tokens: this.#input + this.#output,
    };
  }
}

/** The first of these members that is a count; 0 if none is. */
function count(counts: unknown, ...names: readonly string[]): number {
  if (typeof counts !== 'object' || counts === null) return 0;
  for (const name of names) {
    const value: unknown = Reflect.get(counts, name);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return 0;
}
