import { itemIdProblem } from './item-id.ts';
import { jsonProblem } from './json-problem.ts';
import { objectMembers } from './json-slice.ts';
import type { RequestBodyProblem } from './request-body.ts';

/** One record of work: the submitter's id and the exact JSON text of its payload. */
export interface Item {
  readonly id: string;
  readonly payload: string;
}

export type ParsedItem =
  | { readonly ok: true; readonly item: Item }
  | { readonly ok: false; readonly field: string | null; readonly problem: string };

/**
 * Parses an item from JSON text `{"id": …, "payload": …}` and keeps the exact text of the payload.
 * On failure, `field` names the invalid member; null means the text as a whole. `payloadProblem` finds what is wrong
 * with the parsed payload.
 */
export function parseItem(
  text: string,
  payloadProblem: (payload: unknown) => RequestBodyProblem | null = () => null,
): ParsedItem {
  if (!text.isWellFormed()) {
    // An escaped lone surrogate is valid JSON text. A raw one has no UTF-8 encoding.
    return { ok: false, field: null, problem: 'must not contain a raw lone surrogate' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      ok: false,
      field: null,
      problem: `is not JSON: ${jsonProblem(error)}`,
    };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, field: null, problem: 'must be a JSON object with the members id and payload' };
  }
  const fields = new Map<string, { readonly start: number; readonly end: number }>();
  for (const member of objectMembers(text)) {
    if (member.name !== 'id' && member.name !== 'payload') {
      return { ok: false, field: member.name, problem: 'is not allowed: an item has only id and payload' };
    }
    if (fields.has(member.name)) return { ok: false, field: member.name, problem: 'is given twice' };
    fields.set(member.name, member.value);
  }
  if (!fields.has('id')) return { ok: false, field: 'id', problem: 'is missing' };
  const id: unknown = Reflect.get(value, 'id');
  const problem = itemIdProblem(id);
  if (typeof id !== 'string' || problem !== null)
    return { ok: false, field: 'id', problem: problem ?? 'must be a string' };
  const payload = fields.get('payload');
  if (payload === undefined) return { ok: false, field: 'payload', problem: 'is missing' };
  const found = payloadProblem(Reflect.get(value, 'payload'));
  if (found !== null) {
    const field = found.member === null ? 'payload' : `payload.${found.member}`;
    return { ok: false, field, problem: found.problem };
  }
  return { ok: true, item: { id, payload: text.slice(payload.start, payload.end) } };
}
