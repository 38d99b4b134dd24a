import type { WorkKind } from './work-kind.ts';

/** The same function, asked once for each kind of work: jobs are many, their kinds few. */
export function byWorkKind<Value>(compute: (kind: WorkKind) => Value): (kind: WorkKind) => Value {
  const known = new Map<string, Map<string, { readonly value: Value }>>();
  return (kind) => {
    const models = known.get(kind.jobType) ?? new Map<string, { readonly value: Value }>();
    known.set(kind.jobType, models);
    const found = models.get(kind.model) ?? { value: compute(kind) };
    models.set(kind.model, found);
    return found.value;
  };
}
