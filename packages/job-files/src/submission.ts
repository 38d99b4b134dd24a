import { createHash, type Hash } from 'node:crypto';
import { ApiError, type Client } from '@macbatch/client';
import { JobHeader, type JobView, MAX_JOB_NAME_LENGTH, MAX_PRIORITY } from '@macbatch/contract';
import { jsonProblem, MAX_SHARD_SIZE } from '@macbatch/core';
import { EXIT, Failure } from '@macbatch/terminal';

/** A submission. `lines` reads the items again at each call. */
export interface Draft {
  readonly header: JobHeader;
  readonly lines: () => AsyncIterable<string>;
  /** Names the place of an item in the input, for messages. Positions start at 1. */
  readonly placeOf: (position: number) => Promise<string> | string;
}

/** Makes the header of a job from command line options. Throws a `Failure` that names a wrong option. */
export function jobHeader(options: {
  readonly type: string;
  readonly model: string;
  readonly params: string | undefined;
  /** Goes into the params. */
  readonly system?: string | undefined;
  readonly shardSize: string | undefined;
  readonly retryOn: string | undefined;
  readonly priority?: string | undefined;
  readonly fresh: boolean | undefined;
  readonly name?: string | undefined;
}): JobHeader {
  let params: unknown;
  if (options.params !== undefined) {
    try {
      params = JSON.parse(options.params);
    } catch (error) {
      throw new Failure(EXIT.usage, `--params is not JSON: ${jsonProblem(error)}`);
    }
  }
  if (options.system !== undefined) params = withSystem(params, options.system);
  const header = JobHeader.safeParse({
    job_type: options.type,
    model: options.model,
    ...(params === undefined ? {} : { params }),
    ...(options.priority === undefined ? {} : { priority: Number(options.priority) }),
    ...(options.shardSize === undefined ? {} : { shard_size: Number(options.shardSize) }),
    ...(options.retryOn === undefined ? {} : { retry_on: options.retryOn }),
    ...(options.fresh === true ? { reuse: 'none' } : {}),
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  if (header.success) return header.data;
  const issue = header.error.issues[0];
  const field = String(issue?.path[0]);
  const { name, rule } = OPTIONS[field] ?? { name: 'the job', rule: undefined };
  // An issue below a field, such as a label, has a message of the contract that says more.
  const isWhole = issue?.path.length === 1;
  throw new Failure(
    EXIT.usage,
    isWhole && rule !== undefined
      ? `${name} must be ${rule}`
      : `${name}: ${issue?.message ?? 'is not valid'}`,
  );
}

/** The options behind the fields of a header, and what a value must be. */
const OPTIONS: Readonly<Record<string, { readonly name: string; readonly rule?: string }>> = {
  job_type: { name: '--type' },
  model: { name: '--model', rule: 'a name of 1 to 200 characters' },
  params: { name: '--params', rule: 'a JSON object' },
  priority: { name: '--priority', rule: `a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}` },
  shard_size: { name: '--shard-size', rule: `a whole number from 1 to ${MAX_SHARD_SIZE}` },
  retry_on: { name: '--retry-on' },
  name: { name: '--name', rule: `a text of 1 to ${MAX_JOB_NAME_LENGTH} characters` },
};

function withSystem(params: unknown, system: string): unknown {
  if (params === undefined) return { system };
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return params;
  if ('system' in params)
    throw new Failure(EXIT.usage, 'The system message is given twice: in --params and with --system.');
  return { ...params, system };
}

/** Begins the hash of a submission. The name is not part of it: the same file under another name is the same job. */
function headerHash({ header: { name: _, ...header } }: Draft): Hash {
  return createHash('sha256').update(JSON.stringify(header)).update('\n');
}

/** Hashes a submission into its idempotency key: submitting the same again finds the job that exists (I6). */
export async function contentKey(draft: Draft): Promise<string> {
  const hash = headerHash(draft);
  for await (const line of draft.lines()) hash.update(line).update('\n');
  return keyText(hash);
}

function keyText(hash: Hash): string {
  return `content-${hash.digest('hex')}`;
}

/**
 * Submits a job. `contentHash` is the draft's `contentKey`: throws a `Failure`, and stores nothing, if the input has
 * changed since. Changes the positions in error messages to those in the input.
 */
export async function submitDraft(
  client: Client,
  draft: Draft,
  { contentHash, idempotencyKey }: { readonly contentHash: string; readonly idempotencyKey: string },
  signal: AbortSignal,
): Promise<{ readonly job: JobView; readonly created: boolean }> {
  const broken = new AbortController();
  async function* checkedBody(): AsyncGenerator<string, void, undefined> {
    const hash = headerHash(draft);
    try {
      yield JSON.stringify(draft.header);
      for await (const line of draft.lines()) {
        hash.update(line).update('\n');
        yield line;
      }
      if (keyText(hash) !== contentHash)
        throw new Failure(EXIT.usage, 'The input changed while it was read. Nothing was submitted.');
    } catch (error) {
      // Without this, the client would take the error for one of the connection, and try again.
      broken.abort(error);
      throw error;
    }
  }
  try {
    return await client.submit(checkedBody, {
      idempotencyKey,
      signal: AbortSignal.any([signal, broken.signal]),
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    throw new Failure(EXIT.usage, await withPlaces(error.message, draft));
  }
}

/** Line 1 of a submission is the header, and each other line is an item. Names the places of items in the input. */
async function withPlaces(text: string, draft: Draft): Promise<string> {
  const parts = text
    .replace(/^line 1 has /i, 'the job has ')
    .replace(/^line 1:? /i, '')
    .split(/\bline (\d+)/gi);
  const places = await Promise.all(
    parts.map((part, n) => (n % 2 === 0 ? part : draft.placeOf(Number(part) - 1))),
  );
  return places.join('');
}
