import { EXIT, Failure } from '@macbatch/terminal';

/** Makes a `Failure` that begins with a place in a file, such as `line 4`. */
export function placeFailure(place: string, problem: string): Failure {
  return new Failure(
    EXIT.usage,
    `${place}${/^(is|has|opens|contains) /.test(problem) ? ' ' : ': '}${problem}`,
  );
}
