import { ndjsonLines } from '@macbatch/contract';

/** Longest line of an event. */
const MAX_LINE_BYTES = 1024 * 1024;

/** A server-sent event of the control plane. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Reads the events of a stream. Ignores comments, and events without data. */
export async function* serverEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void, undefined> {
  let event = '';
  // `ndjsonLines` skips blank lines. The control plane sends the name of an event first, then its data in one line.
  for await (const { text } of ndjsonLines(body, MAX_LINE_BYTES)) {
    if (text.startsWith('event: ')) event = text.slice('event: '.length);
    else if (text.startsWith('data: ')) yield { event, data: JSON.parse(text.slice('data: '.length)) };
  }
}
