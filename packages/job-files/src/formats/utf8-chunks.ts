import { isUtf8 } from 'node:buffer';
import { wideEncoding } from '@macbatch/contract';
import { placeFailure } from './place.ts';

const NEWLINE = 0x0a;

/**
 * Passes bytes on in chunks that end between characters, and checks that they are UTF-8 without NUL. Throws a
 * `Failure` that names the line and says how to convert the file.
 */
export async function* utf8Chunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let carried: Buffer = Buffer.alloc(0);
  let linesBefore = 0;
  let isFirst = true;
  for await (const chunk of bytes) {
    const data = Buffer.concat([carried, chunk]);
    if (isFirst && data.length < 4) {
      carried = data;
      continue;
    }
    if (isFirst) refuseWide(data);
    isFirst = false;
    const end = endOfLastCharacter(data);
    const whole = data.subarray(0, end);
    check(whole, linesBefore);
    linesBefore += count(whole, NEWLINE);
    carried = data.subarray(end);
    if (whole.length > 0) yield whole;
  }
  if (isFirst) refuseWide(carried);
  check(carried, linesBefore);
  if (carried.length > 0) yield carried;
}

function refuseWide(data: Buffer): void {
  const wide = wideEncoding(data);
  if (wide !== null)
    throw placeFailure(
      'line 1',
      `is ${wide}, not UTF-8; convert the file: iconv -f ${wide} -t UTF-8 FILE > utf8-FILE`,
    );
}

function check(data: Buffer, linesBefore: number): void {
  if (!isUtf8(data))
    throw placeFailure(
      `line ${linesBefore + lineWith(data, (line) => !isUtf8(line))}`,
      'is not UTF-8. If the file comes from Windows, it is probably Windows-1252 (Latin-1): ' +
        'iconv -f WINDOWS-1252 -t UTF-8 FILE > utf8-FILE',
    );
  if (data.includes(0))
    throw placeFailure(
      `line ${linesBefore + lineWith(data, (line) => line.includes(0))}`,
      'contains a NUL byte, so the file is damaged or not a text file',
    );
}

/** The number, from 1, of the first line that is wrong. */
function lineWith(data: Buffer, isWrong: (line: Buffer) => boolean): number {
  let number = 1;
  for (let start = 0; ; number += 1) {
    const end = data.indexOf(NEWLINE, start);
    if (end === -1 || isWrong(data.subarray(start, end))) return number;
    start = end + 1;
  }
}

function count(data: Buffer, byte: number): number {
  let found = 0;
  for (let at = data.indexOf(byte); at !== -1; at = data.indexOf(byte, at + 1)) found += 1;
  return found;
}

/** The position behind the last complete character. An invalid sequence counts as complete. */
function endOfLastCharacter(data: Buffer): number {
  for (let back = 1; back <= Math.min(3, data.length); back += 1) {
    const byte = data[data.length - back] ?? 0;
    if (byte < 0x80) return data.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? data.length - back : data.length;
  }
  return data.length;
}
