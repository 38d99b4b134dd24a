import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Which records of the input become items. */
export type RecordChoice =
  | { readonly kind: 'all' }
  | { readonly kind: 'first'; readonly count: number }
  /** `count` records at random, in the order of the file. The same seed chooses the same records. */
  | { readonly kind: 'sample'; readonly count: number; readonly seed: number };

/**
 * Chooses records. For a sample, `total` is the number of records: with it, each record is chosen or not when it is
 * read (selection sampling, Knuth's algorithm S), so memory does not grow with the sample.
 */
export async function* chosen<Item>(
  items: AsyncIterable<Item>,
  choice: RecordChoice,
  total: number,
): AsyncGenerator<Item, void, undefined> {
  if (choice.kind === 'all') {
    yield* items;
    return;
  }
  let wanted = choice.count;
  let left = total;
  const random = choice.kind === 'sample' ? xoroshiro128plus(choice.seed) : null;
  if (wanted === 0) return;
  for await (const item of items) {
    const isChosen = random === null || uniformInt(random, 1, Math.max(left, 1)) <= wanted;
    left -= 1;
    if (!isChosen) continue;
    yield item;
    wanted -= 1;
    if (wanted === 0) return;
  }
}
