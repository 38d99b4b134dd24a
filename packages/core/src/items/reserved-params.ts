import type { JobType } from './job-type.ts';

/** Params of a request to a model server that a job cannot set, with the reason. */
const RESERVED: Readonly<Record<string, string>> = {
  model: 'the job names the model in its own field',
  messages: 'messages are the payload of an item',
  prompt: 'the prompt is the payload of an item',
  input: 'the input is the payload of an item',
  stream_options: 'an outcome is one whole answer',
};

/** Params that a job may set to one value only: the value that changes nothing. */
const FIXED: Readonly<Record<string, { readonly value: unknown; readonly why: string }>> = {
  stream: { value: false, why: 'an outcome is one whole answer' },
  n: { value: 1, why: 'an item has one answer' },
};

/** Job types whose params go to a model server. */
const SERVED: ReadonlySet<JobType> = new Set<JobType>(['chat', 'generate', 'embed']);

/**
 * Finds the first of a job's params that a model server would obey and macbatch could not: a stream, a second answer,
 * another model. Returns its name and the reason, or null.
 */
export function reservedParam(
  jobType: JobType,
  params: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly why: string } | null {
  if (!SERVED.has(jobType)) return null;
  for (const [name, value] of Object.entries(params)) {
    const why = Object.hasOwn(RESERVED, name) ? RESERVED[name] : undefined;
    if (why !== undefined) return { name, why };
    const fixed = Object.hasOwn(FIXED, name) ? FIXED[name] : undefined;
    if (fixed !== undefined && value !== fixed.value && value !== null) return { name, why: fixed.why };
  }
  return null;
}
