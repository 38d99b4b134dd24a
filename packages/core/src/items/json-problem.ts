import { messageOf } from '../message-of.ts';

/**
 * Says what `JSON.parse` found wrong in a text that stands on a line of a file. Its "position 8 (line 1 column 9)" counts
 * from the start of the text, but would be read as a place in the file.
 */
export function jsonProblem(error: unknown): string {
  return messageOf(error).replace(
    /at position (\d+)( \(line \d+ column \d+\))?/,
    (_, position: string) => `at character ${Number(position) + 1}`,
  );
}
