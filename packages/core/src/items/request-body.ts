import { objectMembers } from './json-slice.ts';
import { valueKind } from './param-value.ts';

/** What is wrong with the body of a raw request. */
export interface RequestBodyProblem {
  /** The invalid member; null for the body as a whole. */
  readonly member: string | null;
  readonly problem: string;
}

/**
 * Finds the first problem of a raw request's body that no model server could solve: it must be an object, ask for one
 * whole answer instead of a stream, and for at least one choice. Model servers check the rest.
 */
export function requestBodyProblem(body: unknown): RequestBodyProblem | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { member: null, problem: `must be a JSON object, the body of a request, not ${valueKind(body)}` };
  const memberOf = (name: string): unknown =>
    Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
  const stream = memberOf('stream');
  if (stream !== undefined && stream !== null && stream !== false)
    return { member: 'stream', problem: 'must be false, because an outcome is one whole answer' };
  const n = memberOf('n');
  if (typeof n === 'number' && n < 1) return { member: 'n', problem: 'must be at least 1' };
  const model = memberOf('model');
  if (model !== undefined && typeof model !== 'string')
    return { member: 'model', problem: `must be a string, not ${valueKind(model)}` };
  return null;
}

/**
 * Sets the model of a request's body and keeps the rest of the text as it is. A body without a model gets one as its
 * first member. Expects the JSON text of an object.
 */
export function withModel(body: string, model: string): string {
  const value = JSON.stringify(model);
  const members = objectMembers(body);
  const found = members.filter(({ name }) => name === 'model');
  if (found.length === 0) {
    const start = body.indexOf('{') + 1;
    return `${body.slice(0, start)}"model":${value}${members.length === 0 ? '' : ','}${body.slice(start)}`;
  }
  let end = 0;
  const pieces = found.map(({ value: old }) => {
    const piece = `${body.slice(end, old.start)}${value}`;
    end = old.end;
    return piece;
  });
  return `${pieces.join('')}${body.slice(end)}`;
}
