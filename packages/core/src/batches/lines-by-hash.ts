const FIRST_SLOTS = 1024;

/**
 * Remembers a line for each 64-bit hash, in 24 bytes each. A `Map` of the texts needs several times as much. Two of a
 * million texts have the same hash with a probability of one in 37 million.
 */
export class LinesByHash {
  /** 0 marks an empty slot. */
  #hashes = new BigUint64Array(FIRST_SLOTS);
  #lines = new Int32Array(FIRST_SLOTS);
  #count = 0;

  /** Returns the line of an equal hash that was added before. Otherwise adds this one and returns null. */
  add(hash: bigint, line: number): number | null {
    const key = hash || 1n;
    if (this.#count * 2 >= this.#hashes.length) this.#grow();
    const slot = this.#slotOf(key);
    if (this.#hashes[slot] === key) return this.#lines[slot] ?? null;
    this.#hashes[slot] = key;
    this.#lines[slot] = line;
    this.#count += 1;
    return null;
  }

  /** The slot of this hash, or the empty one where it belongs. */
  #slotOf(key: bigint): number {
    const mask = this.#hashes.length - 1;
    let slot = Number(key & BigInt(mask));
    while (this.#hashes[slot] !== 0n && this.#hashes[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const hashes = this.#hashes;
    const lines = this.#lines;
    this.#hashes = new BigUint64Array(hashes.length * 2);
    this.#lines = new Int32Array(hashes.length * 2);
    for (const [old, key] of hashes.entries()) {
      if (key === 0n) continue;
      const slot = this.#slotOf(key);
      this.#hashes[slot] = key;
      this.#lines[slot] = lines[old] ?? 0;
    }
  }
}
