import { createHash } from 'node:crypto';
import { ApiError, type Client } from '@macbatch/client';
import { JobHeader, type JobView } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import { EXIT, Failure } from '@macbatch/terminal';

/** What is to be submitted: the header and, each time it is asked, the items as lines. */
export interface Draft {
  readonly header: JobHeader;
  readonly lines: () => AsyncIterable<string>;
}

/** Makes a header of what the person gave; a wrong value ends with its option named. */
export function jobHeader(given: {
  readonly type: string;
  readonly model: string;
  readonly params: string | undefined;
  readonly shardSize: string | undefined;
  readonly retryOn: string | undefined;
  readonly priority?: string | undefined;
  readonly fresh: boolean | undefined;
}): JobHeader {
  let params: unknown;
  if (given.params !== undefined) {
    try {
      params = JSON.parse(given.params);
    } catch (error) {
      throw new Failure(EXIT.usage, `--params is not JSON: ${messageOf(error)}`);
    }
  }
  const header = JobHeader.safeParse({
    job_type: given.type,
    model: given.model,
    ...(params === undefined ? {} : { params }),
    ...(given.priority === undefined ? {} : { priority: Number(given.priority) }),
    ...(given.shardSize === undefined ? {} : { shard_size: Number(given.shardSize) }),
    ...(given.retryOn === undefined ? {} : { retry_on: given.retryOn }),
    ...(given.fresh === true ? { reuse: 'none' } : {}),
  });
  if (header.success) return header.data;
  const issue = header.error.issues[0];
  const option = {
    job_type: '--type',
    model: '--model',
    params: '--params',
    shard_size: '--shard-size',
    retry_on: '--retry-on',
  }[String(issue?.path[0])];
  throw new Failure(EXIT.usage, `${option ?? 'the job'}: ${issue?.message ?? 'is not right'}`);
}

async function* body(draft: Draft): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify(draft.header);
  yield* draft.lines();
}

/** A key that is the same for the same content and parameters, so that submitting again finds the job. */
export async function contentKey(draft: Draft): Promise<string> {
  const hash = createHash('sha256');
  for await (const line of body(draft)) hash.update(line).update('\n');
  return `content-${hash.digest('hex')}`;
}

/** Submits; the control plane's line numbers become those of the person's file. */
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
    throw new Failure(EXIT.usage, withoutHeaderLine(error.message));
  }
}

/** The header is line 1 of what is sent, and no line of the file. */
function withoutHeaderLine(text: string): string {
  return text.replaceAll(
    /\bline (\d+)/gi,
    (word, number: string) => `${word.slice(0, 5)}${Number(number) - 1}`,
  );
}
