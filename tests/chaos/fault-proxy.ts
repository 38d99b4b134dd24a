import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dice } from './dice.ts';

/** Counts of requests by what happened to them. */
export interface ProxyCounts {
  answered: number;
  lostBefore: number;
  lostAfter: number;
  doubled: number;
}

export interface FaultProxy {
  readonly url: string;
  readonly counts: ProxyCounts;
  /** Makes no more faults. */
  stopFaults(): void;
  close(): Promise<void>;
}

const MAX_DELAY_MS = 400;

/**
 * Starts a proxy between workers and control planes that delays, drops and repeats requests. A request may be answered,
 * lost before its effect, lost after its effect, or sent twice.
 */
export async function faultProxy(targets: readonly string[], dice: Dice): Promise<FaultProxy> {
  const counts: ProxyCounts = { answered: 0, lostBefore: 0, lostAfter: 0, doubled: 0 };
  let faulty = true;
  let turn = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fate = faulty ? dice.next() : 1;
    if (faulty) await delay(dice.next() * MAX_DELAY_MS * dice.next());
    if (fate < 0.06) {
      counts.lostBefore += 1;
      response.destroy();
      return;
    }
    const send = () => forward(targets[turn++ % targets.length] ?? '', request, Buffer.concat(chunks));
    const reply = await send();
    if (fate < 0.12) {
      counts.lostAfter += 1;
      response.destroy();
      return;
    }
    const last = fate < 0.18 ? await send() : reply;
    if (last === reply) counts.answered += 1;
    else counts.doubled += 1;
    if (last === null) response.destroy();
    else response.writeHead(last.status, { 'content-type': last.type }).end(last.body);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    counts,
    stopFaults() {
      faulty = false;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Forwards a request. Returns null if the control plane does not answer. */
async function forward(target: string, request: IncomingMessage, body: Buffer) {
  try {
    const reply = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const type = reply.headers.get('content-type') ?? 'application/json';
    return { status: reply.status, type, body: Buffer.from(await reply.arrayBuffer()) };
  } catch {
    return null;
  }
}
