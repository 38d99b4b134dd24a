import { isRecord } from '../json-value.ts';

/** Deeper values cannot be written as JSON without a risk for the call stack. */
export const MAX_DEPTH = 100;
/** Longest JSON text of a member that is kept, in characters. Audio of a few minutes fits. */
const MAX_MEMBER_LENGTH = 8 * 1024 * 1024;

export interface KeptMembers {
  readonly members: Readonly<Record<string, unknown>>;
  /** Names of members that are too deep or too long to keep. */
  readonly dropped: readonly string[];
}

/**
 * Picks the members of objects that say something: not null, not empty, and not `taken`, which are the names that are
 * read elsewhere. Of two members with one name, keeps that of the first object.
 */
export function keptMembers(sources: readonly unknown[], taken: ReadonlySet<string>): KeptMembers {
  const members = new Map<string, unknown>();
  const dropped = new Set<string>();
  for (const source of sources) {
    for (const [name, value] of Object.entries(isRecord(source) ? source : {})) {
      if (taken.has(name) || members.has(name) || saysNothing(value)) continue;
      if (canBeKept(value)) members.set(name, value);
      else dropped.add(name);
    }
  }
  return { members: Object.fromEntries(members), dropped: [...dropped] };
}

/** Whether a JSON value is null or empty. */
export function saysNothing(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value ?? {}).length === 0;
}

function canBeKept(value: unknown): boolean {
  return isAtMostDeep(value, MAX_DEPTH) && JSON.stringify(value).length <= MAX_MEMBER_LENGTH;
}

/** Whether a JSON value has at most so many levels. Needs no call stack. */
export function isAtMostDeep(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return false;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? (Object.values(each) as unknown[]) : [],
    );
  }
  return true;
}
