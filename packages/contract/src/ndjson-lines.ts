import { wideEncoding } from './wide-encoding.ts';

/** A line of an NDJSON body. Blank lines are skipped but counted. */
export interface Line {
  /** Starts at 1. */
  readonly number: number;
  readonly text: string;
}

export class LineProblem extends Error {
  readonly code: 'line_too_long' | 'invalid_encoding';
  readonly line: number;
  constructor(code: 'line_too_long' | 'invalid_encoding', line: number, message: string) {
    super(message);
    this.code = code;
    this.line = line;
  }
}

const NEWLINE = 0x0a;
const BOM = '\ufeff';

/**
 * Splits bytes into lines at `\n` only, because JSON strings may contain U+2028 and U+2029. Drops one `\r` before
 * each line end and one byte order mark at the start. Throws `LineProblem`.
 */
export async function* ndjsonLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Line, void, undefined> {
  for await (const batch of ndjsonBatches(chunks, maxLineBytes)) yield* batch;
}

/** Like `ndjsonLines`, but yields all lines of a chunk together: an async iteration per line is slow. */
export async function* ndjsonBatches(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<readonly Line[], void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let pieces: Uint8Array[] = [];
  let pending = 0;
  let number = 0;

  const decode = (bytes: Uint8Array): Line | null => {
    number += 1;
    const wide = wideEncoding(bytes);
    if (wide !== null)
      throw new LineProblem(
        'invalid_encoding',
        number,
        `line ${number} is ${wide}, not UTF-8; convert the file: iconv -f ${wide} -t UTF-8 FILE`,
      );
    let text: string;
    try {
      text = decoder.decode(bytes);
    } catch {
      throw new LineProblem('invalid_encoding', number, `line ${number} is not UTF-8`);
    }
    if (number === 1 && text.startsWith(BOM)) text = text.slice(1);
    if (text.endsWith('\r')) text = text.slice(0, -1);
    return text.trim() === '' ? null : { number, text };
  };
  const tooLong = () =>
    new LineProblem('line_too_long', number + 1, `line ${number + 1} is longer than ${maxLineBytes} bytes`);

  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      const tail = chunk.subarray(start, end);
      if (pending + tail.length > maxLineBytes) throw tooLong();
      const line = decode(pending === 0 ? tail : Buffer.concat([...pieces, tail]));
      pieces = [];
      pending = 0;
      start = end + 1;
      if (line !== null) lines.push(line);
    }
    if (lines.length > 0) yield lines;
    if (start < chunk.length) {
      pieces.push(chunk.subarray(start));
      pending += chunk.length - start;
      if (pending > maxLineBytes) throw tooLong();
    }
  }
  if (pending > 0) {
    const line = decode(Buffer.concat(pieces));
    if (line !== null) yield [line];
  }
}
