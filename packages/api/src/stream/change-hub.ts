import type { ChangeReader, Changes } from '@macbatch/store';
import { type Caller, listed, sees } from '../auth/caller.ts';
import { RefusedRequest } from '../requests/refused-request.ts';
import type { Topics } from './topics.ts';

/** Most streams of one key. A page has one for each open tab. */
const MAX_STREAMS_PER_KEY = 256;
/** Most ids in one event. Of more changes, the others are left out: whoever shows a list reads it again anyway. */
const MAX_IDS = 100;
const READ_EVERY_MS = 1000;
const COMMENT_EVERY_MS = 20_000;
/** A stream whose key is not valid any more ends after this time at the latest. */
const CHECK_KEYS_EVERY_MS = 3000;
/** Events that wait in a stream. While there are as many, the newer ones are merged. */
const MAX_QUEUED = 8;

export interface ChangeHubOptions {
  /** Makes what reads changes. It is made anew when a stream opens after a time without streams. */
  readonly newReader: () => Pick<ChangeReader, 'read'>;
  /** Whether the key and the session of a caller are still valid. */
  readonly isValid: (caller: Caller) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  readonly stopping?: AbortSignal | undefined;
  readonly readEveryMs?: number;
}

interface Listener {
  readonly caller: Caller;
  readonly topics: Topics;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** Events that the stream has no room for, by topic. */
  readonly pending: Map<string, { readonly ids: Set<string> }>;
  /** It was told `ready`: from then on, it is told every change. */
  isReady: boolean;
}

const READY = `retry: ${3 * READ_EVERY_MS}\nevent: ready\ndata: {}\n`;

/**
 * Tells all streams what has changed. One reading a second serves all of them, and nothing is read while there is no
 * stream.
 */
export class ChangeHub {
  readonly #options: ChangeHubOptions;
  readonly #listeners = new Set<Listener>();
  readonly #encoder = new TextEncoder();
  #reader: Pick<ChangeReader, 'read'> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reading = false;
  /** Number of readings so far: the id of the events that one reading leads to. */
  #readings = 0;
  #lastCommentMs = 0;
  #lastCheckMs = 0;

  constructor(options: ChangeHubOptions) {
    this.#options = options;
    options.stopping?.addEventListener('abort', () => this.#endAll(), { once: true });
  }

  /** Number of open streams. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Opens a stream of server-sent events. It ends when its reader leaves or `gone` aborts. */
  open(caller: Caller, topics: Topics, gone: AbortSignal): ReadableStream<Uint8Array> {
    const ofKey = [...this.#listeners].filter(({ caller: { keyId } }) => keyId === caller.keyId).length;
    if (caller.keyId !== null && ofKey >= MAX_STREAMS_PER_KEY)
      throw new RefusedRequest(
        'too_many_requests',
        `This key has ${ofKey} streams open, which is the limit.`,
        {},
        10,
      );
    let listener: Listener | null = null;
    const leave = () => {
      if (listener !== null) this.#end(listener);
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          listener = { caller, topics, controller, pending: new Map(), isReady: false };
          this.#listeners.add(listener);
          // Registered before anything is awaited: an abort is not repeated.
          gone.addEventListener('abort', leave, { once: true });
          if (gone.aborted || this.#options.stopping?.aborted === true) leave();
          else this.#schedule(0);
        },
        cancel: leave,
      },
      { highWaterMark: MAX_QUEUED },
    );
  }

  #schedule(afterMs: number): void {
    if (this.#timer !== null || this.#reading || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#reading = true;
      void this.#round().finally(() => {
        this.#reading = false;
        this.#schedule(this.#options.readEveryMs ?? READ_EVERY_MS);
      });
    }, afterMs);
  }

  /** Never rejects. */
  async #round(): Promise<void> {
    try {
      await this.#checkKeys();
      const known = new Set(this.#listeners);
      const watched = new Set([...this.#listeners].flatMap(({ topics }) => topics.jobIds));
      this.#reader ??= this.#options.newReader();
      const changes = await this.#reader.read([...watched]);
      this.#readings += 1;
      for (const listener of this.#listeners) {
        // What changed before the first reading that knows the listener is not told. Whoever reads after `ready` has seen it.
        if (listener.isReady) this.#tell(listener, changes);
        else if (known.has(listener)) {
          listener.isReady = true;
          this.#write(listener, this.#numbered(READY));
        }
      }
    } catch (error) {
      this.#options.onError(error);
    }
    const now = performance.now();
    if (now - this.#lastCommentMs < COMMENT_EVERY_MS) return;
    this.#lastCommentMs = now;
    for (const listener of this.#listeners) this.#write(listener, ': still here\n\n');
  }

  async #checkKeys(): Promise<void> {
    const now = performance.now();
    if (now - this.#lastCheckMs < CHECK_KEYS_EVERY_MS) return;
    this.#lastCheckMs = now;
    const byKey = Map.groupBy(this.#listeners, ({ caller }) => `${caller.keyId} ${caller.sessionId}`);
    for (const listeners of byKey.values()) {
      const [first] = listeners;
      if (first === undefined || first.caller.keyId === null) continue;
      if (await this.#options.isValid(first.caller)) continue;
      for (const listener of listeners) this.#end(listener);
    }
  }

  #tell(listener: Listener, changes: Changes): void {
    const { caller, topics, pending } = listener;
    const add = (event: string, ids: readonly string[]) => {
      if (ids.length === 0) return;
      const known = pending.get(event)?.ids ?? new Set();
      for (const id of ids.slice(0, MAX_IDS - known.size)) known.add(id);
      pending.set(event, { ids: known });
    };
    const jobs = changes.jobs.filter(({ owner }) => sees(caller, owner)).map(({ id }) => id);
    if (topics.jobs) add('jobs-changed', jobs);
    for (const id of jobs) if (topics.jobIds.includes(id)) add(`job-changed ${id}`, [id]);
    if (topics.workers) add('workers-changed', changes.workers);
    const owner = listed(caller);
    const newest = [...changes.events].filter(([of]) => owner === null || of === owner).map(([, id]) => id);
    if (topics.events) add('events-changed', newest);
    // A slow reader gets later what came in the meantime, merged.
    if ((listener.controller.desiredSize ?? 0) <= 0) return;
    const events = [...pending].map(([event, { ids }]) => this.#numbered(eventText(event, [...ids])));
    if (events.length > 0) this.#write(listener, events.join(''));
    pending.clear();
  }

  #numbered(event: string): string {
    return `${event}id: ${this.#readings}\n\n`;
  }

  #write(listener: Listener, text: string): void {
    if ((listener.controller.desiredSize ?? 0) > 0) listener.controller.enqueue(this.#encoder.encode(text));
  }

  #end(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    try {
      listener.controller.close();
    } catch {
      // Its reader has closed it.
    }
    if (this.#listeners.size > 0) return;
    this.#reader = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #endAll(): void {
    for (const listener of this.#listeners) this.#end(listener);
  }
}

/** `name` may contain the id that it is about, so that the events of each job are kept apart. */
function eventText(name: string, ids: readonly string[]): string {
  const [event = '', about] = name.split(' ');
  const data = about === undefined ? { ids } : { id: about };
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n`;
}
