import { itemIdProblem } from '../items/item-id.ts';
import { objectMembers } from '../items/json-slice.ts';
import { messageOf } from '../message-of.ts';
import { checkBatchBody } from './batch-body.ts';

/** Members of a line that may not be repeated: programs disagree about which one counts. */
const MEMBERS = ['custom_id', 'method', 'url', 'body'];

/** A valid line of a batch's input file. */
export interface BatchLine {
  readonly customId: string;
  readonly model: string;
  /** The exact JSON text. */
  readonly body: string;
}

/** What is wrong with a line, with OpenAI's code for it. `param` names the member. */
export interface BatchLineError {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

export type ParsedBatchLine =
  | { readonly ok: true; readonly line: BatchLine }
  | { readonly ok: false; readonly error: BatchLineError };

/** Parses a line of the input file of a batch that runs on this endpoint. Members that OpenAI ignores are ignored. */
export function parseBatchLine(text: string, endpoint: string): ParsedBatchLine {
  const invalid = (param: string | null, message: string, code = 'invalid_request'): ParsedBatchLine => ({
    ok: false,
    error: { code, message, param },
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(null, `This line is not JSON: ${messageOf(error)}.`, 'invalid_json_line');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid(null, 'This line is not a JSON object.', 'invalid_json_line');

  const members = objectMembers(text);
  const repeated = MEMBERS.find((name) => members.filter((member) => member.name === name).length > 1);
  if (repeated !== undefined) return invalid(repeated, `${repeated} is given twice.`);
  const member = (name: string): unknown =>
    Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

  const customId = member('custom_id');
  if (typeof customId !== 'string' || itemIdProblem(customId) !== null)
    return invalid(
      'custom_id',
      customId === undefined ? 'custom_id is missing.' : `custom_id ${itemIdProblem(customId)}.`,
    );
  const method = member('method');
  if (method !== 'POST')
    return invalid('method', method === undefined ? 'method is missing.' : 'method must be "POST".');
  const url = member('url');
  if (typeof url !== 'string')
    return invalid('url', url === undefined ? 'url is missing.' : 'url must be a string.');
  if (url !== endpoint)
    return invalid('url', `url must be ${endpoint}, the endpoint of the batch.`, 'url_mismatch');

  const bodySlice = members.find(({ name }) => name === 'body')?.value;
  if (bodySlice === undefined) return invalid('body', 'body is missing.');
  const body = member('body');
  const bodyText = text.slice(bodySlice.start, bodySlice.end);
  const checked = checkBatchBody(body, bodyText);
  if (!checked.ok) {
    const param = checked.member === null ? 'body' : `body.${checked.member}`;
    return invalid(param, `${param} ${checked.problem}.`);
  }
  return { ok: true, line: { customId, model: checked.model, body: bodyText } };
}
