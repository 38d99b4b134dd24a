import { memberTexts, objectMembers } from '../items/json-slice.ts';
import { messageOf } from '../message-of.ts';
import { checkBatchBody } from './batch-body.ts';

/** Anthropic's rule for custom ids. */
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const MEMBERS = ['custom_id', 'params'];

/** A valid request of a message batch. */
interface MessageRequest {
  readonly customId: string;
  readonly model: string;
  /** The exact JSON text. */
  readonly params: string;
}

/** What is wrong with a request. `member` is its path inside the request; null for the request as a whole. */
export interface MessageRequestProblem {
  readonly member: string | null;
  readonly problem: string;
}

export type ParsedMessageRequest =
  | { readonly ok: true; readonly request: MessageRequest }
  | ({ readonly ok: false } & MessageRequestProblem);

/** Parses a request of a message batch of Anthropic's interface. */
export function parseMessageRequest(text: string): ParsedMessageRequest {
  const invalid = (member: string | null, problem: string): ParsedMessageRequest => ({
    ok: false,
    member,
    problem,
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(null, `is not JSON: ${messageOf(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid(null, 'must be a JSON object');
  const names = objectMembers(text).map(({ name }) => name);
  const unknownName = names.find((name) => !MEMBERS.includes(name));
  if (unknownName !== undefined) return invalid(unknownName, 'is not a member of a request');
  const repeated = MEMBERS.find((name) => names.filter((each) => each === name).length > 1);
  if (repeated !== undefined) return invalid(repeated, 'is given twice');
  const missing = MEMBERS.find((name) => !names.includes(name));
  if (missing !== undefined) return invalid(missing, 'is missing');

  const customId: unknown = Reflect.get(value, 'custom_id');
  if (typeof customId !== 'string' || !CUSTOM_ID.test(customId))
    return invalid('custom_id', 'must be 1 to 64 letters, digits, hyphens or underscores');
  const { params = '' } = memberTexts(text);
  const checked = checkBatchBody(Reflect.get(value, 'params'), params);
  if (checked.ok) return { ok: true, request: { customId, model: checked.model, params } };
  return invalid(checked.member === null ? 'params' : `params.${checked.member}`, checked.problem);
}
