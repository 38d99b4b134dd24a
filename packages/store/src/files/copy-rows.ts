import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type postgres from 'postgres';

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** Flags and the length of the header's extension, both zero. */
const HEADER = Buffer.concat([SIGNATURE, Buffer.alloc(8)]);
const TRAILER = Buffer.from([0xff, 0xff]);

/**
 * Stores consecutive rows of a file's bytes in the binary format of COPY, which is several times faster than inserts of
 * bytea. Format: PostgreSQL manual, COPY, "Binary Format".
 */
export async function copyRows(
  tx: postgres.Sql,
  fileId: string,
  firstPosition: number,
  rows: readonly Uint8Array[],
): Promise<void> {
  const out = await tx`copy file_chunks (file_id, position, data) from stdin (format binary)`.writable();
  // A broken connection ends the stream, perhaps while no code waits for it. The next wait reports it.
  out.on('error', () => undefined);
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (out.errored !== null) throw out.errored;
    if (!out.write(bytes)) await once(out, 'drain');
  };
  await write(HEADER);
  for (const [n, row] of rows.entries()) {
    await write(rowHead(fileId, firstPosition + n, row.length));
    await write(row);
  }
  await write(TRAILER);
  out.end();
  await finished(out);
}

/** The binary row up to its bytes. */
function rowHead(fileId: string, position: number, dataBytes: number): Buffer {
  const id = Buffer.from(fileId);
  const head = Buffer.allocUnsafe(2 + 4 + id.length + 4 + 4 + 4);
  let at = head.writeInt16BE(3, 0);
  at = head.writeInt32BE(id.length, at);
  at += id.copy(head, at);
  at = head.writeInt32BE(4, at);
  at = head.writeInt32BE(position, at);
  head.writeInt32BE(dataBytes, at);
  return head;
}
