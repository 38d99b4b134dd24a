import { createHash } from 'node:crypto';
import { objectMembers, type Slice } from '@macbatch/core';

const NEWLINE = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Hashes the body of a submission without the name of the job: a repeated submission under another name is the same.
 * Keeps what it reads until `headerRead` says where the name is.
 */
export class SubmissionDigest {
  readonly #hash;
  #held: Uint8Array[] | null = [];
  #text: string | undefined;

  constructor(contentType: string | undefined) {
    this.#hash = createHash('sha256').update(`${contentType}\n`);
  }

  async *reading(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of body) {
      if (this.#held === null) this.#hash.update(chunk);
      else this.#held.push(chunk);
      yield chunk;
    }
  }

  /** `text` is the JSON text with the members of the header, and `line` its line in the body, from 1. */
  headerRead(text: string, line: number): void {
    const held = Buffer.concat(this.#held ?? []);
    this.#held = null;
    const name = memberToCut(text, 'name');
    if (name === null) {
      this.#hash.update(held);
      return;
    }
    let start = 0;
    for (let n = 1; n < line; n += 1) start = held.indexOf(NEWLINE, start) + 1;
    if (start === 0 && held.subarray(0, BOM.length).equals(BOM)) start = BOM.length;
    const at = (position: number) => start + Buffer.byteLength(text.slice(0, position));
    this.#hash.update(held.subarray(0, at(name.start)));
    this.#hash.update(held.subarray(at(name.end)));
  }

  /** SHA-256 in hex. Only valid after the whole body was read. */
  digest(): string {
    this.#text ??= this.#hash.digest('hex');
    return this.#text;
  }
}

/** The part of an object's text without which the object has no such member; null if it has none. */
function memberToCut(text: string, name: string): Slice | null {
  const members = objectMembers(text);
  const index = members.findIndex((member) => member.name === name);
  const member = members[index];
  if (member === undefined) return null;
  const { end } = member.value;
  const before = members[index - 1];
  if (before !== undefined) return { start: before.value.end, end };
  return { start: text.indexOf('{') + 1, end: members.length > 1 ? text.indexOf(',', end) + 1 : end };
}
