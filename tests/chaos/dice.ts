import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Repeatable random choices: equal seeds give equal choices. */
export class Dice {
  readonly #generator: ReturnType<typeof xoroshiro128plus>;

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed);
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    return uniformFloat64(this.#generator);
  }

  /** Returns a whole number from `low` up to and including `high`. */
  between(low: number, high: number): number {
    return uniformInt(this.#generator, low, high);
  }

  /** Returns one of the choices. Throws if there is none. */
  of<T>(choices: readonly T[]): T {
    const choice = choices[this.between(0, choices.length - 1)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  }
}
