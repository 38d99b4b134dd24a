import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dice } from './dice.ts';

/** What became of the requests that went through. */
export interface ProxyCounts {
  answered: number;
  lostBefore: number;
  lostAfter: number;
  doubled: number;
}

export interface FaultProxy {
  readonly url: string;
  readonly counts: ProxyCounts;
  /** From now on everything is passed on and answered. */
  calm(): void;
  close(): Promise<void>;
}

const LONGEST_DELAY_MS = 400;

/**
 * A network between workers and control planes that drops, delays and doubles: each request may be
 * answered, lost before it had an effect, lost after it, or have its effect twice.
 */
export async function faultProxy(targets: readonly string[], dice: Dice): Promise<FaultProxy> {
  const counts: ProxyCounts = { answered: 0, lostBefore: 0, lostAfter: 0, doubled: 0 };
  let faulty = true;
  let turn = 0;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fate = faulty ? dice.next() : 1;
    if (faulty) await delay(dice.next() * LONGEST_DELAY_MS * dice.next());
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
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    counts,
    calm() {
      faulty = false;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Null where the control plane is not there or breaks off. */
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
