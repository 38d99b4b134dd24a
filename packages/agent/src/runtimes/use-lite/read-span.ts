/** How many tokens of a text Universal Sentence Encoder lite reads; the rest changes nothing. */
const TOKENS_READ_AT_MOST = 128;

/** No token of its vocabulary is longer than 16 characters, so no character after these can be read. */
const CHARACTERS_READ_AT_MOST = 16 * TOKENS_READ_AT_MOST;

export interface ReadSpan {
  /** The part of the text to hand to the model: its vector is the vector of the whole text. */
  readonly text: string;
  readonly tokens: number;
  /** True when the text goes on after what the model reads. */
  readonly truncated: boolean;
}

/**
 * The start of a text that the model reads. The tokenizer takes time that grows with the square of
 * the length (30 s for 50,000 characters), so it must never see a long text whole.
 */
export function readSpan(text: string, encode: (text: string) => readonly number[]): ReadSpan {
  // The tokenizer does the same, and it can make a text longer: cut after it, not before.
  const normal = text.normalize('NFKC');
  const start = normal.slice(0, CHARACTERS_READ_AT_MOST);
  const tokens = encode(start).length;
  return {
    text: start,
    tokens: Math.min(tokens, TOKENS_READ_AT_MOST),
    truncated: tokens > TOKENS_READ_AT_MOST || start.length < normal.length,
  };
}
