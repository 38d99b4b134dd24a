import { isUtf8 } from 'node:buffer';
import { wideEncoding } from '@macbatch/contract';
import { OpenAiRefusal } from './openai-refusal.ts';

const NEWLINE = 0x0a;
const GZIP = [0x1f, 0x8b] as const;

/**
 * Checks the bytes of a batch's input file while they pass: the encoding, the length of the lines, and whether any
 * line has content. Throws `OpenAiRefusal`.
 */
export class UploadCheck {
  readonly #maxLineBytes: number;
  #isFirst = true;
  /** Line breaks so far. */
  #lines = 0;
  #lineBytes = 0;
  #hasContent = false;
  /** Bytes of a character that the chunk cut in two. */
  #cut: Uint8Array = new Uint8Array();

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  add(chunk: Uint8Array): void {
    const bytes = this.#cut.length === 0 ? chunk : Buffer.concat([this.#cut, chunk]);
    if (this.#isFirst) {
      if (bytes.length < 4) {
        this.#cut = Uint8Array.from(bytes);
        return;
      }
      this.#checkStart(bytes);
    }
    const end = endOfWholeCharacters(bytes);
    this.#cut = Uint8Array.from(bytes.subarray(end));
    this.#checkText(bytes.subarray(0, end));
  }

  /** Checks what is left. Call after the last chunk. */
  end(): void {
    if (this.#isFirst) this.#checkStart(this.#cut);
    this.#checkText(this.#cut);
    if (!this.#hasContent)
      throw new OpenAiRefusal(400, 'empty_file', 'The file has no lines with content.', 'file');
  }

  #checkStart(bytes: Uint8Array): void {
    this.#isFirst = false;
    if (bytes[0] === GZIP[0] && bytes[1] === GZIP[1])
      throw new OpenAiRefusal(
        400,
        'invalid_file',
        'The file is compressed with gzip. Upload it uncompressed.',
        'file',
      );
    const wide = wideEncoding(bytes);
    if (wide !== null)
      throw new OpenAiRefusal(
        400,
        'invalid_encoding',
        `The file is ${wide}, not UTF-8. Convert it: iconv -f ${wide} -t UTF-8 FILE`,
        'file',
      );
  }

  #checkText(bytes: Uint8Array): void {
    if (!isUtf8(bytes)) throw invalidLine(this.#lines + badLine(bytes) + 1);
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, start);
      this.#lineBytes += (end === -1 ? bytes.length : end) - start;
      if (this.#lineBytes > this.#maxLineBytes) {
        throw new OpenAiRefusal(
          400,
          'line_too_long',
          `Line ${this.#lines + 1} is longer than ${this.#maxLineBytes} bytes.`,
          'file',
        );
      }
      if (end === -1) break;
      this.#lines += 1;
      this.#lineBytes = 0;
      start = end + 1;
    }
    this.#hasContent ||= hasContent(bytes);
  }
}

function invalidLine(line: number): OpenAiRefusal {
  return new OpenAiRefusal(400, 'invalid_encoding', `Line ${line} of the file is not UTF-8.`, 'file');
}

/** The index of the first line in these bytes that is not UTF-8. */
function badLine(bytes: Uint8Array): number {
  let start = 0;
  for (let line = 0; ; line += 1) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

/** The length of the longest prefix that does not end inside a character. */
function endOfWholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue; // inside a character
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Whether there is a byte that is neither white space nor part of a byte order mark. */
function hasContent(bytes: Uint8Array): boolean {
  return bytes.some(
    (byte) =>
      byte !== 0x20 &&
      byte !== 0x09 &&
      byte !== 0x0d &&
      byte !== NEWLINE &&
      byte !== 0xef &&
      byte !== 0xbb &&
      byte !== 0xbf,
  );
}
