import { type ParamProblem, valueKind } from './param-value.ts';

/** A label, and the words with which texts are compared. */
export interface Label {
  readonly name: string;
  readonly description: string;
}

export type Labels =
  | { readonly ok: true; readonly labels: readonly Label[] }
  | { readonly ok: false; readonly problem: ParamProblem };

/**
 * Reads `params.labels` of a `classify` job: an array of labels, or an object from label to description. A description
 * of a few words gives better results than a bare label.
 */
export function classifyLabels(params: Readonly<Record<string, unknown>>): Labels {
  const given = Object.hasOwn(params, 'labels') ? params['labels'] : undefined;
  const entries = entriesOf(given);
  if (entries === null) {
    const problem = `expected an array of labels or an object from label to description, got ${valueKind(given)}`;
    return refused('params.labels', problem);
  }
  const labels: Label[] = [];
  for (const { name, description, path } of entries) {
    if (typeof name !== 'string' || name.trim() === '')
      return refused(path, 'expected a label that is not blank');
    if (typeof description !== 'string' || description.trim() === '')
      return refused(path, 'expected a description that is not blank');
    labels.push({ name, description });
  }
  if (labels.length < 2) return refused('params.labels', `expected at least 2 labels, got ${labels.length}`);
  if (new Set(labels.map(({ name }) => name)).size < labels.length)
    return refused('params.labels', 'a label occurs twice');
  return { ok: true, labels };
}

interface Entry {
  readonly name: unknown;
  readonly description: unknown;
  readonly path: string;
}

function entriesOf(given: unknown): readonly Entry[] | null {
  if (Array.isArray(given))
    return given.map((name: unknown, at) => ({ name, description: name, path: `params.labels[${at}]` }));
  if (typeof given !== 'object' || given === null) return null;
  return Object.entries(given).map(([name, description]: [string, unknown]) => ({
    name,
    description,
    path: `params.labels[${JSON.stringify(name)}]`,
  }));
}

function refused(path: string, problem: string): Labels {
  return { ok: false, problem: { path, problem } };
}
