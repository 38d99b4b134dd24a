import type { InputRecord } from './input-record.ts';
import { jsonRecord } from './json-record.ts';
import { placeFailure } from './place.ts';
import { utf8Chunks } from './utf8-chunks.ts';

/** A longer element is taken for an array or an object that is never closed. */
const MAX_ELEMENT_LENGTH = 128 * 1024 * 1024;

const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, COMMA, QUOTE, BACKSLASH, NEWLINE] = [
  0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x22, 0x5c, 0x0a,
];

/**
 * Reads the elements of a JSON array and keeps the exact text of each. (Streaming JSON parsers yield values or tokens,
 * which lose the text of numbers and escapes.) Only finds where elements end; `jsonRecord` then parses each.
 */
export async function* jsonArray(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<InputRecord, void, undefined> {
  const splitter = new ArraySplitter();
  for await (const chunk of utf8Chunks(bytes)) yield* splitter.add(chunk.toString('utf8'));
  splitter.end();
}

class ArraySplitter {
  #phase: 'before' | 'inside' | 'behind' = 'before';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #line = 1;
  /** Number of the current element, from 1, and the line where it begins. */
  #number = 1;
  #startLine: number | null = null;
  #pieces: string[] = [];
  #length = 0;

  *add(text: string): Generator<InputRecord, void, undefined> {
    let start = 0;
    for (let i = 0; i < text.length; i += 1) {
      const c = text.charCodeAt(i);
      if (c === NEWLINE) this.#line += 1;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (c === BACKSLASH) this.#escaped = true;
        else if (c === QUOTE) this.#inString = false;
        continue;
      }
      if (this.#phase !== 'inside') {
        if (this.#takesOutside(c, text[i] ?? '')) start = i + 1;
        continue;
      }
      if (this.#depth === 0 && (c === COMMA || c === CLOSE_ARRAY)) {
        this.#keep(text.slice(start, i));
        yield* this.#element(c === CLOSE_ARRAY);
        start = i + 1;
        continue;
      }
      if (this.#startLine === null && c > 0x20) this.#startLine = this.#line;
      if (c === QUOTE) this.#inString = true;
      else if (c === OPEN_ARRAY || c === OPEN_OBJECT) this.#depth += 1;
      else if ((c === CLOSE_ARRAY || c === CLOSE_OBJECT) && this.#depth > 0) this.#depth -= 1;
    }
    if (this.#phase === 'inside') this.#keep(text.slice(start));
  }

  end(): void {
    if (this.#phase === 'before') throw placeFailure('line 1', 'is not a JSON array: the file is empty');
    if (this.#phase === 'inside')
      throw placeFailure(`line ${this.#line}`, 'the array is not closed, so the file may be cut off');
  }

  /** Takes a character outside the array. Returns whether the array begins behind it. */
  #takesOutside(c: number, character: string): boolean {
    if (c <= 0x20 || character === '\ufeff') return false;
    if (this.#phase === 'before' && c === OPEN_ARRAY) {
      this.#phase = 'inside';
      return true;
    }
    throw placeFailure(
      `line ${this.#line}`,
      this.#phase === 'behind'
        ? 'has text behind the array. If each line is a JSON value, add --format jsonl'
        : `is not the start of a JSON array${c === OPEN_OBJECT ? ". To read an array inside an object: jq '.items' FILE" : ''}`,
    );
  }

  #keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length > MAX_ELEMENT_LENGTH)
      throw placeFailure(this.#place(), `is longer than ${MAX_ELEMENT_LENGTH} characters`);
    this.#pieces.push(piece);
  }

  *#element(isLast: boolean): Generator<InputRecord, void, undefined> {
    const text = this.#pieces.join('').trim();
    if (isLast) this.#phase = 'behind';
    if (text === '') {
      if (isLast && this.#number === 1) return;
      throw placeFailure(`line ${this.#line}`, 'has a comma too many in the array');
    }
    yield jsonRecord(text, this.#place(), `item-${this.#number}`);
    this.#number += 1;
    this.#startLine = null;
    this.#pieces = [];
    this.#length = 0;
  }

  #place(): string {
    return `item ${this.#number} (line ${this.#startLine ?? this.#line})`;
  }
}
