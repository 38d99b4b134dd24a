/** The longest item id, in characters (Unicode code points). */
export const MAX_ITEM_ID_LENGTH = 512;

/** Describes what is wrong with an item id, as the end of a sentence; null if it is valid. */
export function itemIdProblem(id: unknown): string | null {
  if (typeof id !== 'string') return 'must be a string';
  if (id.length === 0) return 'must not be empty';
  const characters = id.length > MAX_ITEM_ID_LENGTH ? Array.from(id).length : id.length;
  if (characters > MAX_ITEM_ID_LENGTH) {
    return `must have at most ${MAX_ITEM_ID_LENGTH} characters, it has ${characters}`;
  }
  if (id.includes('\u0000')) return 'must not contain the character U+0000';
  if (!id.isWellFormed()) return 'must not contain a lone surrogate';
  return null;
}
