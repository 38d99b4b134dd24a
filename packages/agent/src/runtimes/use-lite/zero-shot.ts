import { isRecord, kindOf } from '../json-value.ts';
import { RunFailure } from '../runtime.ts';

/** A label, and the words with which texts are compared. */
export interface Label {
  readonly name: string;
  readonly description: string;
}

/**
 * Reads `params.labels`: an array of labels, or an object from label to description. A description of a few words
 * gives better results than a bare label.
 */
export function labelsOf(params: Readonly<Record<string, unknown>>): readonly Label[] {
  const { labels: given } = params;
  const labels = Array.isArray(given)
    ? given.map((name: unknown, at) => label(name, name, `params.labels[${at}]`))
    : isRecord(given)
      ? Object.entries(given).map(([name, description]) =>
          label(name, description, `params.labels[${JSON.stringify(name)}]`),
        )
      : refuse(
          `params.labels: expected an array of labels or an object from label to description, got ${kindOf(given)}`,
        );
  if (labels.length < 2) refuse(`params.labels: expected at least 2 labels, got ${labels.length}`);
  const names = new Set(labels.map(({ name }) => name));
  if (names.size < labels.length) refuse('params.labels: a label occurs twice');
  return labels;
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

function label(name: unknown, description: unknown, field: string): Label {
  if (typeof name !== 'string' || name.trim() === '') refuse(`${field}: expected a label that is not blank`);
  if (typeof description !== 'string' || description.trim() === '') {
    refuse(`${field}: expected a description that is not blank`);
  }
  return { name, description };
}

function refuse(message: string): never {
  throw new RunFailure('permanent', 'invalid_params', message);
}
