/** The error of an item, as an outcome has it. */
export interface ItemFailure {
  readonly code: string;
  readonly message: string;
}

/** Failures with the same code, and with messages that differ only in details. */
export interface FailureGroup extends ItemFailure {
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

/** Counts failures by group. */
export class FailureGroups {
  readonly #groups = new Map<string, { count: number } & Omit<FailureGroup, 'count'>>();
  /** Failures beyond the first 50 groups. */
  others = 0;

  add(itemId: string, { code, message }: ItemFailure): void {
    const key = `${code}\n${failurePattern(message)}`;
    const group = this.#groups.get(key);
    if (group !== undefined) group.count += 1;
    else if (this.#groups.size < MAX_GROUPS)
      this.#groups.set(key, { code, message, exampleId: itemId, count: 1 });
    else this.others += 1;
  }

  /** Lists the groups, the largest first. */
  list(): readonly FailureGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count);
  }
}
