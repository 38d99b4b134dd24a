import { createHash } from 'node:crypto';

/** Slots of the largest table: 64 MB. */
const MAX_SLOTS = 2 ** 23;
const FIRST_SLOTS = 2 ** 10;

/**
 * Remembers which texts it has seen, as 64-bit hashes in a table of bounded size. Two texts of four million have the
 * same hash with a probability of one in two million.
 */
export class SeenHashes {
  #slots: BigUint64Array;
  #count = 0;
  readonly #maxSlots: number;

  constructor(maxSlots = MAX_SLOTS) {
    this.#maxSlots = maxSlots;
    this.#slots = new BigUint64Array(Math.min(FIRST_SLOTS, maxSlots));
  }

  /** Half of the table stays empty, so that look-ups are short. */
  get isFull(): boolean {
    return this.#count >= this.#maxSlots / 2;
  }

  /** Adds a text. Returns whether it was there before. When the table is full, adds nothing. */
  add(text: string): boolean {
    return this.#addHash(createHash('sha256').update(text).digest().readBigUInt64LE() || 1n);
  }

  #addHash(hash: bigint): boolean {
    if (this.#count >= this.#slots.length / 2 && this.#slots.length < this.#maxSlots) this.#grow();
    const slot = this.#slotOf(hash);
    if (this.#slots[slot] === hash) return true;
    if (this.isFull) return false;
    this.#slots[slot] = hash;
    this.#count += 1;
    return false;
  }

  /** The slot of this hash, or the empty one where it belongs. 0 marks an empty slot. */
  #slotOf(hash: bigint): number {
    const mask = this.#slots.length - 1;
    let slot = Number(hash & BigInt(mask));
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new BigUint64Array(old.length * 2);
    for (const hash of old) if (hash !== 0n) this.#slots[this.#slotOf(hash)] = hash;
  }
}
