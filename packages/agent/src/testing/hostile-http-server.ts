import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hostility, Misbehaviour } from './hostile-server.ts';

/** Time limit of one item. Much longer than a good item takes while this process gets a processor. */
export const LIMIT_MS = 1000;
const HANG_MS = 1.5 * LIMIT_MS;
const RETRY_AFTER_MS = 100;
/** The times of a draw are divided by these. */
const TROUBLE_FACTOR = 50;
const DELAY_FACTOR = 25;
const DRIP_MS = 200;

/** Bodies of a 200 without an answer. */
const ODD_BODIES: readonly (string | Buffer)[] = [
  '',
  '{"choices":[{"mess',
  '[]',
  'null',
  '{"choices":[]}',
  '{"choices":[{"index":0}]}',
  '{"choices":[{"message":{"content":"half of"},"finish_reason":"error"}]}',
  '{"error":{"message":"something went wrong"}}',
  '<html>busy</html>',
];

interface Call {
  readonly itemId: string;
  readonly response: ServerResponse;
  /** The client has gone, or has its reply. */
  isOver: boolean;
}

/** A drawn model server on a port of this machine. Its times are shortened, but for the time limit. */
export class HostileHttpServer {
  readonly #draw: Hostility;
  readonly #faults: ReadonlyMap<string | undefined, Misbehaviour>;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #calls = new Map<string, number>();
  readonly #running = new Set<Call>();
  readonly #waiting: (() => void)[] = [];
  readonly #closed = new AbortController();
  #port = 0;
  #requests = 0;
  #oddBodies = 0;
  #troubleUntil: number | null = null;
  #innocentFailures = 0;

  private constructor(draw: Hostility, faults: ReadonlyMap<string | undefined, Misbehaviour>) {
    this.#draw = draw;
    this.#faults = faults;
  }

  static async open(
    draw: Hostility,
    faults: ReadonlyMap<string | undefined, Misbehaviour>,
  ): Promise<HostileHttpServer> {
    const opened = new HostileHttpServer(draw, faults);
    await opened.#listen();
    return opened;
  }

  /** Base URL of its API. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /** Number of requests by item. */
  get calls(): ReadonlyMap<string, number> {
    return this.#calls;
  }

  /** Number of requests of good items that it failed because of its trouble. */
  get innocentFailures(): number {
    return this.#innocentFailures;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#stopListening();
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #stopListening(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Refuses connections for a while, like a program that was stopped and is started again. */
  async #restart(ms: number): Promise<void> {
    await this.#stopListening();
    await delay(ms);
    while (!this.#closed.signal.aborted) {
      try {
        await this.#listen();
        return;
      } catch {
        // A connection of another server has the port for a moment.
        await delay(20);
      }
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      send(response, request.url === '/v1/models' ? 200 : 404, { object: 'list', data: [{ id: 'real' }] });
      return;
    }
    const body = JSON.parse(await text(request)) as { readonly messages: readonly { content: string }[] };
    const itemId = body.messages[0]?.content ?? '';
    this.#calls.set(itemId, (this.#calls.get(itemId) ?? 0) + 1);
    const call = { itemId, response, isOver: false };
    response.on('close', () => {
      call.isOver = true;
    });
    this.#answer(call);
  }

  #answer(call: Call): void {
    const { trouble, troubleAfter, troubleMs, delayMs } = this.#draw;
    const fault = this.#faults.get(call.itemId);
    this.#requests += 1;
    if (trouble !== null && this.#requests > troubleAfter && this.#troubleUntil === null) {
      this.#troubleUntil = Date.now() + troubleMs / TROUBLE_FACTOR;
      if (trouble === 'refuses connections') void this.#restart(troubleMs / TROUBLE_FACTOR);
    }
    if (trouble !== null && Date.now() < (this.#troubleUntil ?? 0)) {
      if (fault === undefined) this.#innocentFailures += 1;
      this.#misbehave(trouble, call);
      return;
    }
    if (fault === 'hangs') this.#admit(call, HANG_MS);
    else if (fault === undefined) this.#admit(call, delayMs / DELAY_FACTOR);
    else this.#misbehave(fault, call);
  }

  #misbehave(how: Misbehaviour, { response }: Call): void {
    switch (how) {
      case 'answers 400':
        send(response, 400, errorOf('this item is not valid'));
        break;
      case 'answers 403':
        response.writeHead(403).end('Forbidden');
        break;
      case 'quotes the prompt':
        send(response, 400, errorOf('bad template: "my Mac has insufficient memory"'));
        break;
      case 'answers 503':
        send(response, 503, errorOf('busy'));
        break;
      case 'limits the rate':
        response.setHeader('retry-after-ms', RETRY_AFTER_MS);
        send(response, 429, errorOf('too many requests'));
        break;
      case 'answers 500':
        send(response, 500, errorOf('it broke'));
        break;
      case 'sends odd JSON':
        this.#oddBodies += 1;
        response.end(ODD_BODIES[this.#oddBodies % ODD_BODIES.length]);
        break;
      case 'refuses connections':
      case 'cuts':
        response.destroy();
        break;
      case 'cuts in the middle':
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"choices":', () => response.destroy());
        break;
      case 'hangs':
        break;
      case 'drips': {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), DRIP_MS);
        response.on('close', () => clearInterval(timer));
        break;
      }
    }
  }

  #admit(call: Call, ms: number): void {
    if (this.#running.size < this.#draw.slots) {
      this.#run(call, ms);
      return;
    }
    switch (this.#draw.overload) {
      case 'queues':
        this.#waiting.push(() => this.#run(call, ms));
        break;
      case 'answers 503':
      case 'limits the rate':
        this.#misbehave(this.#draw.overload, call);
        break;
      case 'aborts all':
        for (const { response } of [...this.#running, call]) {
          send(response, 500, errorOf('Context size has been exceeded.'));
        }
        this.#running.clear();
        break;
    }
  }

  #run(call: Call, ms: number): void {
    this.#running.add(call);
    const free = () => {
      if (this.#running.delete(call)) this.#waiting.shift()?.();
    };
    if (call.isOver && !this.#draw.lingers) {
      free();
      return;
    }
    const timer = setTimeout(() => {
      if (this.#running.has(call)) send(call.response, 200, answerOf(call.itemId));
      free();
    }, ms);
    if (this.#draw.lingers) return;
    call.response.on('close', () => {
      clearTimeout(timer);
      free();
    });
  }
}

/** What the server answers to a good item. */
function answerOf(itemId: string): object {
  const message = { role: 'assistant', content: `answer to ${itemId}` };
  return { model: 'real', choices: [{ index: 0, message, finish_reason: 'stop' }] };
}

function errorOf(message: string): object {
  return { error: { message } };
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
