import { finished } from 'node:stream/promises';
import type postgres from 'postgres';

/** Signature, flags and the length of an empty extension. */
const HEADER_BYTES = 19;
/** Number of columns, and length of the only one. */
const ROW_HEAD_BYTES = 6;

/**
 * Reads consecutive rows of a file's bytes behind the first `skip`, up to `length` bytes. Uses the binary format of
 * COPY, because the driver reads bytea of other statements as hexadecimal text, which takes several times as much
 * memory. Format: PostgreSQL manual, COPY, "Binary Format".
 */
export async function copyOutRows(
  sql: postgres.Sql,
  fileId: string,
  rows: { readonly first: number; readonly next: number },
  { skip, length }: { readonly skip: number; readonly length: number },
): Promise<Buffer> {
  // COPY takes no parameters.
  if (!/^file-[0-9a-f]{32}$/.test(fileId)) throw new TypeError(`${fileId} is not the id of a file.`);
  const stream = await sql
    .unsafe(`copy (
      select data from file_chunks
      where file_id = '${fileId}' and position >= ${rows.first} and position < ${rows.next} order by position
    ) to stdout (format binary)`)
    .readable();
  const found = Buffer.allocUnsafe(length);
  let used = 0;
  let toSkip = skip;
  const keep = (bytes: Buffer) => {
    const from = Math.min(toSkip, bytes.length);
    toSkip -= from;
    used += bytes.copy(found, used, from);
  };
  const reader = new RowReader(keep);
  stream.on('data', (chunk: Buffer) => reader.add(chunk));
  await finished(stream);
  return found.subarray(0, used);
}

/** Finds the bytes of the rows in the pieces of a COPY, whatever these pieces are. */
class RowReader {
  readonly #keep: (bytes: Buffer) => void;
  /** The rest of a piece that ended inside a header. */
  #rest: Buffer = Buffer.alloc(0);
  #isAtHeader = true;
  /** Bytes of the current row that have not arrived. */
  #missing = 0;

  constructor(keep: (bytes: Buffer) => void) {
    this.#keep = keep;
  }

  add(piece: Buffer): void {
    let left = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const row = left.subarray(0, this.#missing);
      if (row.length > 0) this.#keep(row);
      this.#missing -= row.length;
      left = left.subarray(row.length);
      const headBytes = this.#isAtHeader ? HEADER_BYTES : ROW_HEAD_BYTES;
      if (left.length < headBytes) break; // also at the end, which has two bytes
      if (!this.#isAtHeader) this.#missing = left.readInt32BE(2);
      this.#isAtHeader = false;
      left = left.subarray(headBytes);
    }
    this.#rest = left;
  }
}
