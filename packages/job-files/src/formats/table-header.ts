import { placeFailure } from './place.ts';

/** The columns of a table. */
export interface TableHeader {
  readonly names: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
}

/**
 * Reads the header of a table. A column without a name, such as the index that pandas writes, gets its number as name.
 * Throws a `Failure` if two columns have one name.
 */
export function readHeader(cells: readonly string[], line: number): TableHeader {
  const names = cells.map((cell, n) => cell.trim() || `column_${n + 1}`);
  const positions = new Map<string, number>();
  for (const [n, name] of names.entries()) {
    const first = positions.get(name);
    if (first !== undefined)
      throw placeFailure(
        `line ${line}`,
        `the header names two columns ${JSON.stringify(name)}: the ${ordinal(first)} and the ${ordinal(n)}. Rename one`,
      );
    positions.set(name, n);
  }
  return { names, positions };
}

function ordinal(n: number): string {
  const number = n + 1;
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' };
  return `${number}${ending[new Intl.PluralRules('en', { type: 'ordinal' }).select(number)]}`;
}
