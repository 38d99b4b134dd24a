import { JobHeader, type Line, LineProblem, ndjsonBatches } from '@macbatch/contract';
import {
  arrayElements,
  type Item,
  jsonProblem,
  objectMembers,
  paramProblem,
  parseItem,
  requestBodyProblem,
} from '@macbatch/core';
import { bodyText } from '../requests/body-text.ts';
import { invalidField } from '../requests/invalid-field.ts';
import { RefusedRequest } from '../requests/refused-request.ts';
import type { BodyLimits } from '../requests/request-body.ts';
import { SubmissionDigest } from './submission-digest.ts';

/** A submission that is being read. */
export interface SubmissionBody {
  readonly header: JobHeader;
  /** The exact JSON text of the parameters. */
  readonly params: string;
  readonly items: AsyncIterable<Item | readonly Item[]>;
  /** SHA-256 of the body in hex. Only valid after `items` has ended. */
  digest(): string;
  /** Locates the item with this sequence number in the body. */
  placeOf(seq: number): { readonly text: string; readonly field?: string; readonly line?: number };
}

/**
 * Reads a submission. The header is read before the promise resolves. The items are read on demand, so that a
 * large body streams through. Throws `RefusedRequest` for every error in the body.
 */
export async function readSubmission(
  contentType: string | undefined,
  body: AsyncIterable<Uint8Array>,
  limits: BodyLimits,
): Promise<SubmissionBody> {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  const hash = new SubmissionDigest(type);
  const digest = () => hash.digest();
  if (type === 'application/json') return { ...(await readJson(hash.reading(body), hash, limits)), digest };
  if (type === 'application/x-ndjson')
    return { ...(await readNdjson(hash.reading(body), hash, limits)), digest };
  throw new RefusedRequest('unsupported_media_type', 'Send application/json or application/x-ndjson.');
}

async function readJson(
  body: AsyncIterable<Uint8Array>,
  hash: SubmissionDigest,
  limits: BodyLimits,
): Promise<Omit<SubmissionBody, 'digest'>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limits.maxJsonBytes) {
      throw new RefusedRequest(
        'body_too_large',
        `A JSON body may have at most ${limits.maxJsonBytes} bytes. Send application/x-ndjson, which has no limit.`,
      );
    }
    chunks.push(chunk);
  }
  const text = bodyText(Buffer.concat(chunks));
  const value = parseObject(text, 'The body');
  const { items: itemsValue, ...headerValue } = value;
  const members = distinctMembers(text, 'The body');
  hash.headerRead(text, 1);
  const header = parseHeader(headerValue, null);
  const payloadProblem = payloadProblemOf(header);
  if (!Array.isArray(itemsValue))
    throw new RefusedRequest('invalid_field', 'items: must be an array of items', { field: 'items' });
  const start = members.get('items')?.start ?? 0;
  async function* items(): AsyncGenerator<Item, void, undefined> {
    let n = 0;
    for (const { start: from, end } of arrayElements(text, start)) {
      const parsed = parseItem(text.slice(from, end), payloadProblem);
      if (!parsed.ok) throw badItem(parsed, { text: `items[${n}]`, field: `items[${n}]` });
      yield parsed.item;
      n += 1;
    }
  }
  return {
    header,
    params: sliceOf(text, members.get('params')),
    items: items(),
    placeOf: (seq) => ({ text: `items[${seq}]`, field: `items[${seq}]` }),
  };
}

async function readNdjson(
  body: AsyncIterable<Uint8Array>,
  hash: SubmissionDigest,
  limits: BodyLimits,
): Promise<Omit<SubmissionBody, 'digest'>> {
  const batches = ndjsonBatches(body, limits.maxLineBytes);
  const [first, ...others] = (await next(batches)) ?? [];
  if (first === undefined) throw new RefusedRequest('no_items', 'The body is empty.');
  const value = parseObject(first.text, `Line ${first.number}`, first.number);
  const members = distinctMembers(first.text, `Line ${first.number}`, first.number);
  hash.headerRead(first.text, first.number);
  const header = parseHeader(value, first.number);
  const payloadProblem = payloadProblemOf(header);
  // Blank lines shift the line numbers of the items. Only the positions of these shifts are kept.
  const shifts: { readonly seq: number; readonly line: number }[] = [];
  async function* items(): AsyncGenerator<readonly Item[], void, undefined> {
    let seq = 0;
    let expected = 0;
    for (let lines: readonly Line[] | undefined = others; lines !== undefined; lines = await next(batches)) {
      yield lines.map(({ number, text }) => {
        const parsed = parseItem(text, payloadProblem);
        if (!parsed.ok) throw badItem(parsed, { text: `line ${number}`, line: number });
        if (number !== expected) shifts.push({ seq, line: number });
        expected = number + 1;
        seq += 1;
        return parsed.item;
      });
    }
  }
  return {
    header,
    params: sliceOf(first.text, members.get('params')),
    items: items(),
    placeOf(seq) {
      const shift = shifts.findLast((each) => each.seq <= seq);
      const line = shift === undefined ? seq + first.number + 1 : shift.line + seq - shift.seq;
      return { text: `line ${line}`, line };
    },
  };
}

async function next(batches: AsyncGenerator<readonly Line[], void, undefined>) {
  try {
    const step = await batches.next();
    return step.done === true ? undefined : step.value;
  } catch (error) {
    if (error instanceof LineProblem)
      throw new RefusedRequest(error.code, `${error.message}.`, { line: error.line });
    throw error;
  }
}

function parseObject(text: string, what: string, line?: number): Record<string, unknown> {
  const place = line === undefined ? {} : { line };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RefusedRequest('invalid_json', `${what} is not JSON: ${jsonProblem(error)}`, place);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RefusedRequest('invalid_json', `${what} must be a JSON object.`, place);
  }
  return { ...value };
}

function distinctMembers(text: string, what: string, line?: number) {
  const members = new Map<string, { readonly start: number; readonly end: number }>();
  for (const { name, value } of objectMembers(text)) {
    if (members.has(name)) {
      throw new RefusedRequest(
        'invalid_field',
        `${what} has ${name} twice.`,
        line === undefined ? { field: name } : { field: name, line },
      );
    }
    members.set(name, value);
  }
  return members;
}

function parseHeader(value: unknown, line: number | null): JobHeader {
  const where = line === null ? null : `line ${line}`;
  const parsed = JobHeader.safeParse(value);
  if (!parsed.success) throw onLine(invalidField(parsed.error, where), line);
  const refusal = refusedParam(parsed.data, where);
  if (refusal !== null) throw onLine(refusal, line);
  return parsed.data;
}

function onLine(refusal: RefusedRequest, line: number | null): RefusedRequest {
  return line === null
    ? refusal
    : new RefusedRequest(refusal.code, refusal.message, { ...refusal.place, line });
}

function refusedParam({ job_type, params = {} }: JobHeader, where: string | null): RefusedRequest | null {
  const found = paramProblem(job_type, params);
  if (found === null) return null;
  const name = where === null ? found.path : `${where} ${found.path}`;
  return new RefusedRequest('invalid_field', `${name}: ${found.problem}`, { field: found.path });
}

/** The check of each payload: those of raw requests are bodies. */
function payloadProblemOf({ job_type }: JobHeader): typeof requestBodyProblem | undefined {
  return job_type === 'request' ? requestBodyProblem : undefined;
}

function sliceOf(text: string, slice: { readonly start: number; readonly end: number } | undefined): string {
  return slice === undefined ? '{}' : text.slice(slice.start, slice.end);
}

function badItem(
  parsed: { readonly field: string | null; readonly problem: string },
  place: { readonly text: string; readonly field?: string; readonly line?: number },
): RefusedRequest {
  const { text, field: base, ...rest } = place;
  const field = base === undefined ? parsed.field : parsed.field === null ? base : `${base}.${parsed.field}`;
  return new RefusedRequest(
    'invalid_item',
    `${text}: ${parsed.field === null ? 'the item' : parsed.field} ${parsed.problem}`,
    field === null ? rest : { ...rest, field },
  );
}
