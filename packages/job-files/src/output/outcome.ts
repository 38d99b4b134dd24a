import { objectMembers } from '@macbatch/core';

/** Tokens that a model read and wrote. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

interface ResultFields {
  readonly id: string;
  readonly status: string;
  readonly usage?: Readonly<Record<string, number>> | null;
  readonly reused?: boolean;
}

/** An outcome as the control plane sends it. */
export interface Outcome {
  /** Position of the item in the job; null from a control plane of an earlier release. */
  readonly seq: number | null;
  readonly id: string;
  readonly isOk: boolean;
  /** What the model used for it in this job: nothing for a reused outcome, or if the model server does not say. */
  readonly tokens: Tokens;
  /** When its attempt was leased, in milliseconds. */
  readonly leasedMs: number | null;
  /** The line without `seq` and `leased_at`, exactly as it was sent. */
  readonly text: string;
}

const SEQ = /^\{"seq":(\d+),(?:"leased_at":(?:null|"([^"]*)"),)?/;

/** Reads a line of results. */
export function readOutcome(line: string): Outcome {
  const seq = SEQ.exec(line);
  const text = seq === null ? line : `{${line.slice(seq[0].length)}`;
  const { id, status, usage, reused } = JSON.parse(text) as ResultFields;
  const leasedMs = seq?.[2] === undefined ? null : Date.parse(seq[2]);
  const used = reused === true ? null : usage;
  const tokens = { input: used?.['input_tokens'] ?? 0, output: used?.['output_tokens'] ?? 0 };
  return { seq: seq === null ? null : Number(seq[1]), leasedMs, id, isOk: status === 'ok', tokens, text };
}

/** The JSON texts of the members of an object. */
export function memberTexts(object: string): Map<string, string> {
  return new Map(
    objectMembers(object).map(({ name, value }) => [name, object.slice(value.start, value.end)]),
  );
}

/** A JSON value as a cell: the characters of a string, nothing for null, the JSON text of another value. */
export function cellText(json: string | undefined): string {
  if (json === undefined || json === 'null') return '';
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
