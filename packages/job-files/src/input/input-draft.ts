import type { JobHeader } from '@macbatch/contract';
import type { Draft } from '../submission.ts';
import type { JobInput } from './job-input.ts';

/** Makes the submission of a job's input files. */
export function inputDraft(header: JobHeader, input: JobInput): Draft {
  return {
    header,
    async *lines() {
      for await (const { text } of input.items()) yield text;
    },
    placeOf: (position) => input.placeOf(position),
  };
}
