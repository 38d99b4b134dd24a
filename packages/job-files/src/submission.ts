import { createHash } from 'node:crypto';
import { ApiError, type Client } from '@macbatch/client';
import { JobHeader, type JobView } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import { EXIT, Failure } from '@macbatch/terminal';

/** A submission. `lines` reads the items again at each call. */
export interface Draft {
  readonly header: JobHeader;
  readonly lines: () => AsyncIterable<string>;
}

/** Makes the header of a job from command line options. Throws a `Failure` that names a wrong option. */
export function jobHeader(options: {
  readonly type: string;
  readonly model: string;
  readonly params: string | undefined;
  readonly shardSize: string | undefined;
  readonly retryOn: string | undefined;
  readonly priority?: string | undefined;
  readonly fresh: boolean | undefined;
}): JobHeader {
  let params: unknown;
  if (options.params !== undefined) {
    try {
      params = JSON.parse(options.params);
    } catch (error) {
      throw new Failure(EXIT.usage, `--params is not JSON: ${messageOf(error)}`);
    }
  }
  const header = JobHeader.safeParse({
    job_type: options.type,
    model: options.model,
    ...(params === undefined ? {} : { params }),
    ...(options.priority === undefined ? {} : { priority: Number(options.priority) }),
    ...(options.shardSize === undefined ? {} : { shard_size: Number(options.shardSize) }),
    ...(options.retryOn === undefined ? {} : { retry_on: options.retryOn }),
    ...(options.fresh === true ? { reuse: 'none' } : {}),
  });
  if (header.success) return header.data;
  const issue = header.error.issues[0];
  const optionName = {
    job_type: '--type',
    model: '--model',
    params: '--params',
    shard_size: '--shard-size',
    retry_on: '--retry-on',
  }[String(issue?.path[0])];
  throw new Failure(EXIT.usage, `${optionName ?? 'the job'}: ${issue?.message ?? 'is not valid'}`);
}

async function* body(draft: Draft): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify(draft.header);
  yield* draft.lines();
}

/** Hashes a submission into its idempotency key: submitting the same again finds the job that exists (I6). */
export async function contentKey(draft: Draft): Promise<string> {
  const hash = createHash('sha256');
  for await (const line of body(draft)) hash.update(line).update('\n');
  return `content-${hash.digest('hex')}`;
}

/** Submits a job. Changes line numbers in error messages to those of the file. */
export async function submitDraft(
  client: Client,
  draft: Draft,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<{ readonly job: JobView; readonly created: boolean }> {
  try {
    return await client.submit(() => body(draft), { idempotencyKey, signal });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    throw new Failure(EXIT.usage, withFileLineNumbers(error.message));
  }
}

/** The header is line 1 of the submission, and not a line of the file. */
function withFileLineNumbers(text: string): string {
  return text
    .replace(/^line 1 has /i, 'the job has ')
    .replace(/^line 1:? /i, '')
    .replaceAll(/\bline (\d+)/gi, (match, number: string) => `${match.slice(0, 5)}${Number(number) - 1}`);
}
