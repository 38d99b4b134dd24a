import { requestBodyProblem, requestEndpoint } from '@macbatch/core';
import type { InputRecord } from '../formats/input-record.ts';
import { placeFailure } from '../formats/place.ts';

/** The members of a request of OpenAI's Batch API. Others are ignored, as OpenAI ignores them. */
const MEMBERS = ['custom_id', 'method', 'url', 'body'] as const;

/** The column with the ids of requests. */
export const BATCH_ID_COLUMN = 'custom_id';

/** What the requests of a file have in common. */
export interface BatchForm {
  readonly endpoint: string;
  /** The model that every body names; null if the job's model replaces whatever they name. */
  readonly model: string | null;
}

/** Whether a record is a request of OpenAI's Batch API. */
export function isBatchLine(record: InputRecord): boolean {
  const columns = record.isRow ? [] : record.columns();
  return columns.includes(BATCH_ID_COLUMN) && columns.includes('body');
}

/** Reads what the first request says about all of them. Throws a `Failure` if it cannot be sent to its endpoint. */
export function batchFormOf(first: InputRecord, given: Partial<BatchForm>): BatchForm {
  const url = given.endpoint ?? stringMember(first, 'url');
  const endpoint = requestEndpoint(url);
  if (endpoint === null)
    throw placeFailure(first.place, `url: ${String(url)} is not an endpoint that a job can name`);
  return { endpoint, model: given.model === undefined ? stringMember(first, 'body.model') : given.model };
}

/** The id and the body of a request, as JSON texts. Throws a `Failure` that names what is wrong. */
export function batchItem(record: InputRecord, { endpoint, model }: BatchForm): { id: string; body: string } {
  const fail = (problem: string): never => {
    throw placeFailure(record.place, problem);
  };
  for (const name of MEMBERS)
    if (record.columns().filter((column) => column === name).length > 1) fail(`${name} is given twice`);
  const id = record.value(BATCH_ID_COLUMN) ?? fail('has no custom_id');
  if (!id.startsWith('"')) fail('custom_id must be a string');
  const method = record.value('method');
  if (method !== null && method !== '"POST"') fail(`method must be "POST", not ${method.slice(0, 20)}`);
  const url = record.value('url');
  if (url !== null && JSON.parse(url) !== endpoint)
    fail(`url must be ${JSON.stringify(endpoint)} as in the first line, not ${url.slice(0, 100)}`);
  const body = record.value('body') ?? fail('has no body');
  const problem = requestBodyProblem(JSON.parse(body));
  if (problem !== null)
    fail(`${problem.member === null ? 'body' : `body.${problem.member}`} ${problem.problem}`);
  const named = stringMember(record, 'body.model');
  if (model !== null && named !== null && named !== model)
    fail(
      `body.model is ${JSON.stringify(named)}, but a job has one model, ${JSON.stringify(model)}. To use one for all, add --model`,
    );
  return { id, body: body.trim() };
}

/** The value of a member that is a string; null otherwise. */
function stringMember(record: InputRecord, name: string): string | null {
  const value = record.value(name);
  return value?.startsWith('"') === true ? String(JSON.parse(value)) : null;
}
