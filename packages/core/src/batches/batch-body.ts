import { objectMembers } from '../items/json-slice.ts';
import { type RequestBodyProblem, requestBodyProblem } from '../items/request-body.ts';

/** The longest name of a model, in UTF-16 code units. */
const MAX_MODEL_LENGTH = 200;

/** Checks the body of a batch's request, which has to name its model. `text` is its exact JSON text. */
export function checkBatchBody(
  body: unknown,
  text: string,
): { readonly ok: true; readonly model: string } | ({ readonly ok: false } & RequestBodyProblem) {
  const found = requestBodyProblem(body);
  if (found !== null) return { ok: false, ...found };
  const invalid = (problem: string) => ({ ok: false as const, member: 'model', problem });
  const model: unknown = Object.hasOwn(Object(body), 'model')
    ? Reflect.get(Object(body), 'model')
    : undefined;
  if (typeof model !== 'string' || model === '') return invalid('is missing');
  if (model.length > MAX_MODEL_LENGTH || !model.isWellFormed() || model.includes('\u0000'))
    return invalid(`must be text of at most ${MAX_MODEL_LENGTH} characters`);
  if (objectMembers(text).filter(({ name }) => name === 'model').length > 1) return invalid('is given twice');
  return { ok: true, model };
}
