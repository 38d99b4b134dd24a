import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const FLUSH_BYTES = 192 * 1024;
const BUFFER_BYTES = 256 * 1024;

/**
 * Writes rows of `(uuid, int, text, text, bytea)` in the binary format of COPY, which needs no escaping: item ids and
 * payloads arrive byte for byte. Format: PostgreSQL manual, COPY, "Binary Format".
 */
export class BinaryCopyWriter {
  readonly #out: Writable;
  readonly #job: Buffer;
  /** Bytes of all payloads so far, in UTF-8. */
  payloadBytes = 0;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;

  constructor(out: Writable, jobId: string) {
    this.#out = out;
    this.#job = Buffer.from(jobId.replaceAll('-', ''), 'hex');
    this.#used = SIGNATURE.copy(this.#buffer);
    this.#used = this.#buffer.writeInt32BE(0, this.#used); // flags
    this.#used = this.#buffer.writeInt32BE(0, this.#used); // no header extension
  }

  /** Adds a row. Returns true when the buffer should be flushed. */
  add(seq: number, itemId: string, payload: string, key: Buffer | null): boolean {
    // UTF-8 takes at most three bytes for each UTF-16 code unit.
    this.#reserve(128 + 3 * (itemId.length + payload.length));
    const b = this.#buffer;
    let at = b.writeInt16BE(5, this.#used);
    at = b.writeInt32BE(16, at);
    at += this.#job.copy(b, at);
    at = b.writeInt32BE(4, at);
    at = b.writeInt32BE(seq, at);
    at = writeText(b, itemId, at);
    const payloadAt = at;
    at = writeText(b, payload, at);
    this.payloadBytes += at - payloadAt - 4;
    at = b.writeInt32BE(key === null ? -1 : key.length, at);
    if (key !== null) at += key.copy(b, at);
    this.#used = at;
    return at >= FLUSH_BYTES;
  }

  /** Ends the COPY. Resolves when the database has read every row. */
  async end(): Promise<void> {
    this.#reserve(2);
    this.#used = this.#buffer.writeInt16BE(-1, this.#used);
    await this.flush();
    this.#out.end();
    await finished(this.#out);
  }

  #reserve(bytes: number): void {
    if (this.#buffer.length - this.#used >= bytes) return;
    const larger = Buffer.allocUnsafe(this.#used + bytes + FLUSH_BYTES);
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }

  /** Sends the buffer. Waits while the database reads slower than this process writes. */
  async flush(): Promise<void> {
    if (this.#out.errored !== null) throw this.#out.errored;
    const full = this.#buffer.subarray(0, this.#used);
    this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    this.#used = 0;
    if (!this.#out.write(full)) await once(this.#out, 'drain');
  }
}

function writeText(buffer: Buffer, text: string, at: number): number {
  const bytes = buffer.write(text, at + 4, 'utf8');
  buffer.writeInt32BE(bytes, at);
  return at + 4 + bytes;
}
