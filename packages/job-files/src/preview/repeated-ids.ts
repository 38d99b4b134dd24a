import type { JobInput } from '../input/job-input.ts';

/** An id that two items have. */
export interface RepeatedId {
  readonly id: string;
  readonly first: string;
  readonly second: string;
}

/** Reads the input again to find the first two places of each id. Leaves out ids that only one item has. */
export async function repeatedIds(
  ids: readonly string[],
  input: Pick<JobInput, 'items'>,
): Promise<readonly RepeatedId[]> {
  if (ids.length === 0) return [];
  const places = new Map<string, string[]>(ids.map((id) => [id, []]));
  for await (const { id, place } of input.items()) {
    const known = places.get(id);
    if (known !== undefined && known.length < 2) known.push(place);
  }
  return [...places].flatMap(([id, [first, second]]) =>
    first === undefined || second === undefined ? [] : [{ id, first, second }],
  );
}
