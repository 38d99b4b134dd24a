import { basename } from 'node:path';
import { type JobHeader, MAX_JOB_NAME_LENGTH } from '@macbatch/contract';
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
  const type = isJobType(options.type) ? options.type : null;
  const input = await openJobInput(files, inputOptions(options, type, terminal), terminal);
  try {
    return { draft: inputDraft(headerOf(files, options, input, terminal), input), input };
  } catch (error) {
    await input[Symbol.asyncDispose]();
    throw error;
  }
}

function headerOf(
  files: readonly string[],
  options: JobOptions & InputFlags,
  { batch }: JobInput,
  terminal: Terminal,
): JobHeader {
  const type = batch === null ? options.type : 'request';
  if (type === undefined)
    throw new Failure(EXIT.usage, `--type is missing: what should the model do with ${files.join(', ')}?`);
  const model = options.model ?? batch?.model ?? (hasEmbeddedModel(type) ? EMBEDDED_MODEL : null);
  if (model === null) throw new Failure(EXIT.usage, '--model is missing');
  return jobHeader({
    ...options,
    type,
    model,
    params: options.params ?? (batch === null ? undefined : JSON.stringify({ endpoint: batch.endpoint })),
    system: systemMessage(options, terminal),
    shardSize: options.shardSize,
    retryOn: options.retryOn,
    priority: options.priority,
    fresh: options.fresh,
    name: options.name ?? nameOf(files),
  });
}

/** The name of a job without `--name`; undefined for standard input. */
function nameOf(files: readonly string[]): string | undefined {
  const [first = '-'] = files;
  if (first === '-') return undefined;
  const others = files.length > 1 ? ` and ${files.length - 1} more` : '';
  return `${basename(first)
    .slice(0, MAX_JOB_NAME_LENGTH - others.length)
    .toWellFormed()}${others}`;
}

/** The model inside the worker. */
export const EMBEDDED_MODEL = 'use-lite';

function hasEmbeddedModel(type: string | undefined): boolean {
  return type === 'embed' || type === 'classify';
}

function isJobType(type: string | undefined): type is JobType {
  return JOB_TYPES.some((each) => each === type);
}
