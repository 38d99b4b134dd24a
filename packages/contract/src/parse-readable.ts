import { z } from '@hono/zod-openapi';

/** An entry of an array that does not fit its schema. */
export interface UnreadableEntry {
  /** Such as `renew[3].attempt`. */
  readonly path: string;
  readonly message: string;
}

export type ReadableParts<Value> =
  | { readonly success: true; readonly data: Value; readonly unreadable: readonly UnreadableEntry[] }
  | { readonly success: false; readonly error: z.core.$ZodError };

/**
 * Parses an object and leaves out the entries of its arrays that do not fit the schema, so that an entry of a newer
 * version costs only itself. `fields` names the arrays that may lose entries; without it, all may. Every other
 * problem is an error.
 */
export function parseReadable<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  fields?: readonly string[],
): ReadableParts<z.output<Schema>> {
  const whole = schema.safeParse(value);
  if (whole.success) return { ...whole, unreadable: [] };
  const { issues } = whole.error;
  const bad = new Map<string, Set<number>>();
  const unreadable: UnreadableEntry[] = [];
  for (const { path, message } of issues) {
    const [field, index] = path;
    if (typeof field !== 'string' || typeof index !== 'number') return whole;
    if (fields !== undefined && !fields.includes(field)) return whole;
    const known = bad.get(field) ?? new Set();
    // The first problem of an entry is enough.
    if (!known.has(index)) unreadable.push({ path: z.core.toDotPath(path), message });
    bad.set(field, known.add(index));
  }
  const rest = schema.safeParse(withoutEntries(value, bad));
  return rest.success ? { ...rest, unreadable } : whole;
}

function withoutEntries(value: unknown, bad: ReadonlyMap<string, ReadonlySet<number>>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, entries]: [string, unknown]) => {
      const left = bad.get(field);
      return [
        field,
        left !== undefined && Array.isArray(entries)
          ? entries.filter((_, index) => !left.has(index))
          : entries,
      ];
    }),
  );
}
