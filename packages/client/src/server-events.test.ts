import { expect, it } from 'vitest';
import { Client } from './client.ts';

it('yields the events of a stream in any chunks, without comments', async () => {
  const text =
    'retry: 3000\nevent: ready\ndata: {}\n\n: still here\n\nevent: job-changed\ndata: {"id":"ü"}\n\n';
  const bytes = new TextEncoder().encode(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5);
  }
  const urls: string[] = [];
  const client = new Client({
    baseUrl: 'http://control',
    fetch: (url) => {
      urls.push(url);
      return new Response(ReadableStream.from(chunks()), { headers: { 'macbatch-protocol': '1' } });
    },
  });
  const events: unknown[] = [];
  for await (const event of client.changes(['jobs', 'workers'])) events.push(event);
  expect(events).toEqual([
    { event: 'ready', data: {} },
    { event: 'job-changed', data: { id: 'ü' } },
  ]);
  expect(urls).toEqual(['http://control/v1/stream?topics=jobs%2Cworkers']);
});
