import type { WorkKind } from './work-kind.ts';

/** Caches a function's value per work kind. A pool has many jobs but few work kinds. */
export function byWorkKind<Value>(compute: (kind: WorkKind) => Value): (kind: WorkKind) => Value {
  const known = new Map<string, Map<string, { readonly value: Value }>>();
  return (kind) => {
    const byModel = known.get(kind.jobType) ?? new Map<string, { readonly value: Value }>();
    known.set(kind.jobType, byModel);
    const found = byModel.get(kind.model) ?? { value: compute(kind) };
    byModel.set(kind.model, found);
    return found.value;
  };
}
