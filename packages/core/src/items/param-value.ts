/** What is wrong with a job's params. */
export interface ParamProblem {
  /** Such as `params.labels[0]`. */
  readonly path: string;
  readonly problem: string;
}

/** The JSON type of a value, for messages. */
export function valueKind(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'array' : typeof value;
}
