import type { Client } from '@macbatch/client';
import { MAX_LEDGER_KEYS } from '@macbatch/contract';

/** Counts idempotency keys that the ledger knows, in batches. No payload is sent. */
export class KnownKeys {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  #waiting: string[] = [];
  #asked = 0;
  #known = 0;

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  async add(key: string): Promise<void> {
    this.#waiting.push(key);
    if (this.#waiting.length === MAX_LEDGER_KEYS) await this.#ask();
  }

  async counts(): Promise<{ readonly asked: number; readonly known: number }> {
    await this.#ask();
    return { asked: this.#asked, known: this.#known };
  }

  async #ask(): Promise<void> {
    const keys = this.#waiting;
    if (keys.length === 0) return;
    this.#waiting = [];
    const { known } = await this.#client.call('countKnownKeys', { body: { keys } }, { signal: this.#signal });
    this.#asked += keys.length;
    this.#known += known;
  }
}
