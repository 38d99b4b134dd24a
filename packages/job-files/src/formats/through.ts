import { type Duplex, pipeline, Readable } from 'node:stream';

/**
 * Sends chunks through a transform stream, whose output is read from the returned stream. An error of the source ends
 * it, and a reader that stops early ends the source.
 */
export function through<Transform extends Duplex>(
  source: AsyncIterable<Uint8Array>,
  transform: Transform,
): Transform {
  // The reader gets the error from the transform.
  pipeline(Readable.from(source), transform, () => undefined);
  return transform;
}
