import type { JobHeader } from '@macbatch/contract';
import { EXIT, Failure } from '@macbatch/terminal';
import { repeatedIds } from '../preview/repeated-ids.ts';
import { SeenHashes } from '../preview/seen-hashes.ts';
import type { Draft } from '../submission.ts';
import type { JobInput } from './job-input.ts';

/** Makes the submission of a job's input files. Its lines throw a `Failure` at an id that an earlier item has. */
export function inputDraft(header: JobHeader, input: JobInput): Draft {
  return {
    header,
    async *lines() {
      const ids = new SeenHashes();
      for await (const { id, text } of input.items()) {
        if (ids.add(id)) await refuseRepeat(input, id);
        yield text;
      }
    },
    placeOf: (position) => input.placeOf(position),
  };
}

async function refuseRepeat(input: JobInput, id: string): Promise<void> {
  const [repeat] = await repeatedIds([id], input);
  // Else two ids have the same hash.
  if (repeat !== undefined)
    throw new Failure(
      EXIT.usage,
      `${repeat.second}: the id ${JSON.stringify(id)} is used before, on ${repeat.first}. Each item needs its own.`,
    );
}
