/** Universal Sentence Encoder lite reads this many tokens of a text and ignores the rest. */
const MAX_TOKENS = 128;

/** A token of its vocabulary has at most 16 characters, so it reads no character after these. */
const MAX_CHARACTERS = 16 * MAX_TOKENS;

export interface ReadSpan {
  /** The part of the text that the model needs. It has the same vector as the whole text. */
  readonly text: string;
  readonly tokens: number;
  /** Whether the text continues after what the model reads. */
  readonly truncated: boolean;
}

/**
 * Cuts a text to the start that the model reads. The tokenizer's time grows with the square of the length (30 s for
 * 50,000 characters), so it must not get a long text.
 */
export function readSpan(text: string, encode: (text: string) => readonly number[]): ReadSpan {
  // The tokenizer normalises too, which can make a text longer. So cut after that.
  const normal = text.normalize('NFKC');
  const start = normal.slice(0, MAX_CHARACTERS);
  const tokens = encode(start).length;
  return {
    text: start,
    tokens: Math.min(tokens, MAX_TOKENS),
    truncated: tokens > MAX_TOKENS || start.length < normal.length,
  };
}
