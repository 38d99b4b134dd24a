import { request } from 'node:http';
import { PAYLOAD } from '../product-load.ts';
import { keepAlive } from './post.ts';

const HEADER = { job_type: 'noop', model: 'noop', shard_size: 100 };
const LINES_PER_CHUNK = 500;

/** Streams a submission of `count` items over HTTP, as NDJSON or as one JSON body. Returns the job's id. */
export async function sendItems(url: string, count: number, form: 'ndjson' | 'json'): Promise<string> {
  const type = form === 'ndjson' ? 'application/x-ndjson' : 'application/json';
  const headers = { 'content-type': type };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request(`${url}/v1/jobs`, { method: 'POST', agent: keepAlive, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (response.statusCode === 201) resolve((JSON.parse(text) as { id: string }).id);
      else reject(new Error(`the submission was answered ${response.statusCode}: ${text.slice(0, 300)}`));
    });
  });
  sent.on('error', reject);
  for (const chunk of form === 'ndjson' ? ndjson(count) : json(count)) {
    if (!sent.write(chunk)) await new Promise((drained) => sent.once('drain', drained));
  }
  sent.end();
  return await promise;
}

function* ndjson(count: number): Generator<string> {
  yield `${JSON.stringify(HEADER)}\n`;
  for (let from = 0; from < count; from += LINES_PER_CHUNK) yield `${items(from, count).join('\n')}\n`;
}

function* json(count: number): Generator<string> {
  yield `${JSON.stringify(HEADER).slice(0, -1)},"items":[`;
  for (let from = 0; from < count; from += LINES_PER_CHUNK) {
    yield `${from === 0 ? '' : ','}${items(from, count).join(',')}`;
  }
  yield ']}';
}

function items(from: number, count: number): string[] {
  const length = Math.min(LINES_PER_CHUNK, count - from);
  return Array.from({ length }, (_, n) => `{"id":"item-${from + n}","payload":${PAYLOAD}}`);
}
