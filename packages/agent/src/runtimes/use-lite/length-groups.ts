/**
 * Groups texts of similar length; `lengths` and the result are by position. A batch costs as much as its longest
 * text, times the number of texts.
 */
export function lengthGroups(lengths: readonly number[]): readonly (readonly number[])[] {
  const byLength = lengths.map((length, at) => ({ length, at })).sort((a, b) => a.length - b.length);
  const groups: number[][] = [];
  let shortest = Number.NEGATIVE_INFINITY;
  for (const { length, at } of byLength) {
    const group = groups.at(-1);
    if (group !== undefined && length <= 1.5 * shortest + 4) {
      group.push(at);
    } else {
      groups.push([at]);
      shortest = length;
    }
  }
  return groups;
}
