export type SeqRange = readonly [first: number, last: number];

/** A set of positions, kept as ranges in ascending order: neighbours nearly always come one after the other. */
export class SeqRanges {
  readonly #ranges: [number, number][];

  constructor(ranges: readonly SeqRange[] = []) {
    this.#ranges = ranges.map(([first, last]) => [first, last]);
  }

  has(seq: number): boolean {
    const [, last = -1] = this.#ranges[this.#indexAt(seq)] ?? [];
    return last >= seq;
  }

  add(seq: number): void {
    if (this.has(seq)) return;
    const at = this.#indexAt(seq);
    const before = this.#ranges[at];
    const behind = this.#ranges[at + 1];
    const joinsBefore = before !== undefined && before[1] === seq - 1;
    const joinsBehind = behind !== undefined && behind[0] === seq + 1;
    if (joinsBefore && joinsBehind) {
      before[1] = behind[1];
      this.#ranges.splice(at + 1, 1);
    } else if (joinsBefore) before[1] = seq;
    else if (joinsBehind) behind[0] = seq;
    else this.#ranges.splice(at + 1, 0, [seq, seq]);
  }

  /** The last position of the unbroken run from 0; −1 if 0 is not in the set. */
  get prefixEnd(): number {
    const [first, last] = this.#ranges[0] ?? [-1, -1];
    return first === 0 ? last : -1;
  }

  toJSON(): readonly SeqRange[] {
    return this.#ranges;
  }

  /** The index of the last range that begins at or before `seq`; −1 if there is none. */
  #indexAt(seq: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.[0] ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
