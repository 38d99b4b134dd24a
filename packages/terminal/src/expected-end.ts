import { ApiError, type Client, Unreachable } from '@macbatch/client';
import { endsText } from './explanation-text.ts';
import type { Terminal } from './terminal.ts';

/** How long an estimate is cached. */
const CACHE_MS = 10_000;

/** Fetches the expected end of a job, for display only: errors of the control plane leave it out. */
export class ExpectedEnd {
  readonly #client: Client;
  readonly #jobId: string;
  readonly #terminal: Pick<Terminal, 'now'>;
  #nextCallAt = Number.NEGATIVE_INFINITY;
  #ends: string | null = null;

  constructor(client: Client, jobId: string, terminal: Pick<Terminal, 'now'>) {
    this.#client = client;
    this.#jobId = jobId;
    this.#terminal = terminal;
  }

  /** Returns a text such as `ends 14:05–14:20`, or null if the control plane has no estimate. */
  async text(signal: AbortSignal): Promise<string | null> {
    const now = this.#terminal.now();
    if (now < this.#nextCallAt) return this.#ends;
    this.#nextCallAt = now + CACHE_MS;
    try {
      this.#ends = endsText(
        await this.#client.call('explainJob', { params: { id: this.#jobId } }, { signal }),
      );
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof ApiError)) throw error;
      this.#ends = null;
      // A control plane of an earlier release has no such route.
      if (error instanceof ApiError && !error.retryable) this.#nextCallAt = Number.POSITIVE_INFINITY;
    }
    return this.#ends;
  }
}
