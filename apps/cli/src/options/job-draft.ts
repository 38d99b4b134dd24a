import { JOB_TYPES, type JobType } from '@macbatch/core';
import { type Draft, inputDraft, type JobInput, jobHeader, openJobInput } from '@macbatch/job-files';
import { EXIT, Failure, type Terminal } from '@macbatch/terminal';
import { type InputFlags, inputOptions, systemMessage } from './input-options.ts';
import type { JobOptions } from './job-options.ts';

/** A job as the command line describes it. */
export interface FileJob {
  readonly draft: Draft;
  readonly input: JobInput;
}

/** Opens the input files of a job. Throws a `Failure` that names a wrong option or file. */
export async function openFileJob(
  files: readonly string[],
  options: JobOptions & InputFlags,
  terminal: Terminal,
): Promise<FileJob> {
  const { type } = options;
  const model = options.model ?? (hasEmbeddedModel(type) ? EMBEDDED_MODEL : undefined);
  if (!isJobType(type) || model === undefined)
    throw new Failure(EXIT.usage, `${type === undefined ? '--type' : '--model'} is missing`);
  const header = jobHeader({
    ...options,
    type,
    model,
    params: options.params,
    system: systemMessage(options, terminal),
    shardSize: options.shardSize,
    retryOn: options.retryOn,
    priority: options.priority,
    fresh: options.fresh,
  });
  const input = await openJobInput(files, inputOptions(options, type, terminal), terminal);
  return { draft: inputDraft(header, input), input };
}

/** The model inside the worker. */
export const EMBEDDED_MODEL = 'use-lite';

function hasEmbeddedModel(type: string | undefined): boolean {
  return type === 'embed' || type === 'classify';
}

function isJobType(type: string | undefined): type is JobType {
  return JOB_TYPES.some((each) => each === type);
}
