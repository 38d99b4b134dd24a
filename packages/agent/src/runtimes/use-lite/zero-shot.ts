import { classifyLabels, type Label } from '@macbatch/core';
import { RunFailure } from '../runtime.ts';

/** Reads `params.labels`. Throws a permanent `RunFailure`, as a control plane of an earlier version accepts any params. */
export function labelsOf(params: Readonly<Record<string, unknown>>): readonly Label[] {
  const read = classifyLabels(params);
  if (read.ok) return read.labels;
  throw new RunFailure('permanent', 'invalid_params', `${read.problem.path}: ${read.problem.problem}`);
}

/** Finds the label whose vector is nearest to the text's; the first one of equals. */
export function nearestLabel(
  text: Float32Array,
  labels: readonly Label[],
  vectors: readonly Float32Array[],
): { readonly label: string; readonly scores: Readonly<Record<string, number>> } {
  const scored = labels.map(({ name }, at) => ({ name, score: cosine(text, vectors[at] ?? []) }));
  const best = scored.reduce((left, right) => (right.score > left.score ? right : left));
  return {
    label: best.name,
    // fromEntries makes even the label "__proto__" an ordinary member.
    scores: Object.fromEntries(scored.map(({ name, score }) => [name, Math.round(score * 1e4) / 1e4])),
  };
}

export function cosine(left: ArrayLike<number>, right: ArrayLike<number>): number {
  let product = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (let at = 0; at < left.length; at += 1) {
    const x = left[at] ?? 0;
    const y = right[at] ?? 0;
    product += x * y;
    leftSquares += x * x;
    rightSquares += y * y;
  }
  return product / Math.sqrt(leftSquares * rightSquares);
}
