import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** The error of an item, as an outcome has it. */
export interface ItemFailure {
  readonly code: string;
  readonly message: string;
}

/** Failures with the same code, and with messages that differ only in details. */
export interface FailureGroup extends ItemFailure {
  /** Short, and the same for this kind of failure in every job. */
  readonly id: string;
  readonly count: number;
  /** The id of the first item of the group. `message` is its message. */
  readonly exampleId: string;
}

/** Of more groups, only the number of their failures is kept. */
const MAX_GROUPS = 50;
const MAX_PATTERN_LENGTH = 200;

/** Details of messages: quoted text, URLs and paths, ids, numbers. */
const DETAILS = [
  /"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”|‘[^’]*’/g,
  /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi,
  /(?<![\w.])~?(?:\/[\w.@%+-]+){2,}\/?/g,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  /\b(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi,
  /\d+(?:[.,]\d+)*/g,
] as const;

/** Replaces the details of a message with `#`, so that messages of the same kind become equal. */
export function failurePattern(message: string): string {
  // Cut first: a message may be as long as a payload.
  const start = message.slice(0, 10 * MAX_PATTERN_LENGTH);
  return DETAILS.reduce((text, detail) => text.replaceAll(detail, '#'), start).slice(0, MAX_PATTERN_LENGTH);
}

/** The key of the group that a failure belongs to. */
function groupKey({ code, message }: ItemFailure): string {
  return `${code}\n${failurePattern(message)}`;
}

const ID_LENGTH = 8;

function idOf(key: string): string {
  return bytesToHex(sha256(utf8ToBytes(key))).slice(0, ID_LENGTH);
}

/** The id of the group that a failure belongs to: eight hexadecimal digits. */
export function failureGroupId(failure: ItemFailure): string {
  return idOf(groupKey(failure));
}

/** Reads an error from its JSON text. */
export function readItemFailure(json: string): ItemFailure {
  const { code, message } = JSON.parse(json) as Partial<Record<keyof ItemFailure, unknown>>;
  return { code: String(code), message: String(message) };
}

/** Counts failures by group. */
export class FailureGroups {
  readonly #groups = new Map<string, { count: number } & Omit<FailureGroup, 'count' | 'id'>>();
  /** Failures beyond the first 50 groups. */
  others = 0;

  /** Adds a failure of `count` items, of which this is the first. */
  add(itemId: string, { code, message }: ItemFailure, count = 1): void {
    const key = groupKey({ code, message });
    const group = this.#groups.get(key);
    if (group !== undefined) group.count += count;
    else if (this.#groups.size < MAX_GROUPS)
      this.#groups.set(key, { code, message, exampleId: itemId, count });
    else this.others += count;
  }

  /** Lists the groups, the largest first. */
  list(): readonly FailureGroup[] {
    return [...this.#groups]
      .map(([key, group]) => ({ id: idOf(key), ...group }))
      .sort((a, b) => b.count - a.count);
  }
}
