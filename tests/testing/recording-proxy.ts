import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serveLocally } from '@macbatch/testing';

/** A successful request and its answer. */
interface Answered {
  readonly path: string;
  readonly status: number;
  readonly asked: string;
  readonly answer: string;
  readonly atMs: number;
}

/** A proxy in front of a control plane that records successful requests. */
export interface RecordingProxy {
  readonly url: string;
  readonly answered: readonly Answered[];
}

/** Starts a recording proxy. It stops when the test has finished. */
export async function recordingProxy(target: string): Promise<RecordingProxy> {
  const answered: Answered[] = [];
  const url = await serveLocally(async (incoming, response) => {
    const body = await buffer(incoming);
    const { method, url: path = '/' } = incoming;
    const { host: _, ...headers } = incoming.headers;
    const onward = request(new URL(path, target), { method, headers, agent: false });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
    const [reply] = (await once(onward, 'response').catch(() => [])) as [IncomingMessage?];
    const answer = await (reply === undefined ? undefined : buffer(reply).catch(() => undefined));
    if (reply === undefined || answer === undefined) return void response.destroy();
    const status = reply.statusCode ?? 0;
    if (status < 300)
      answered.push({ path, status, asked: body.toString(), answer: answer.toString(), atMs: Date.now() });
    response.writeHead(status, reply.headers).end(answer);
  });
  return { url, answered };
}
