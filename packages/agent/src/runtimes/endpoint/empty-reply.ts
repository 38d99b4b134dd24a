import { RunFailure } from '../runtime.ts';

/** Makes the failure of a 200 whose body is not an answer. It may be different next time. */
export function emptyReply(why: string): RunFailure {
  return new RunFailure('transient', 'empty_response', `the model server answered 200, but ${why}`);
}
