import { request } from 'node:http';
import { keepAlive } from './post.ts';

export const ENDPOINT = '/v1/chat/completions';
const LINES_PER_CHUNK = 500;
const BOUNDARY = 'boundary-of-the-benchmark';
/** About 200 bytes, like the payloads of the other rows. */
const BODY = bodyWith('Say whether this review is a complaint. '.repeat(3));

function bodyWith(content: string): string {
  return JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], temperature: 0 });
}

/** Submits raw requests as a job, as streamed NDJSON. */
export async function submitRequests(url: string, count: number): Promise<void> {
  const header = { job_type: 'request', model: 'm', params: { endpoint: ENDPOINT }, reuse: 'none' };
  await send(`${url}/v1/jobs`, 'application/x-ndjson', [
    [`${JSON.stringify(header)}\n`],
    chunks(count, (n) => `{"id":"request-${n}","payload":${BODY}}`),
  ]);
}

/** Uploads the same requests, or larger ones, as the input file of a batch. Returns the id of the file. */
export async function uploadRequests(url: string, count: number, bodyBytes?: number): Promise<string> {
  const body = bodyBytes === undefined ? BODY : bodyWith('word '.repeat(bodyBytes / 5));
  const part = (head: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
  const reply = await send(`${url}/v1/files`, `multipart/form-data; boundary=${BOUNDARY}`, [
    [`${part('name="purpose"')}batch\r\n${part('name="file"; filename="in.jsonl"')}`],
    chunks(count, (n) => `{"custom_id":"request-${n}","method":"POST","url":"${ENDPOINT}","body":${body}}`),
    [`\r\n--${BOUNDARY}--\r\n`],
  ]);
  return (JSON.parse(reply) as { id: string }).id;
}

function* chunks(count: number, line: (n: number) => string): Generator<string> {
  for (let from = 0; from < count; from += LINES_PER_CHUNK) {
    const length = Math.min(LINES_PER_CHUNK, count - from);
    yield `${Array.from({ length }, (_, n) => line(from + n)).join('\n')}\n`;
  }
}

async function send(url: string, type: string, parts: readonly Iterable<string>[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { 'content-type': type };
  const sent = request(url, { method: 'POST', agent: keepAlive, headers }, (response) => {
    const received: Buffer[] = [];
    response.on('data', (chunk: Buffer) => received.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(received).toString();
      if (response.statusCode === 200 || response.statusCode === 201) resolve(text);
      else reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 300)}`));
    });
  });
  sent.on('error', (error) => reject(new Error(`${url}: ${error.message}`, { cause: error })));
  for (const part of parts) {
    for (const chunk of part) {
      if (!sent.write(chunk)) await new Promise((drained) => sent.once('drain', drained));
    }
  }
  sent.end();
  return await promise;
}
