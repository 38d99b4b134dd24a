import { ApiError, type Client, Unreachable } from '@macbatch/client';
import { endsText } from './explanation-text.ts';
import type { Terminal } from './terminal.ts';

/** How long an answer is shown. */
const SHOWN_MS = 10_000;

/** When a job should end, asked for now and then while it is followed. A remark: it is done without where need be. */
export class ExpectedEnd {
  readonly #client: Client;
  readonly #jobId: string;
  readonly #terminal: Pick<Terminal, 'now'>;
  #askAt = Number.NEGATIVE_INFINITY;
  #ends: string | null = null;

  constructor(client: Client, jobId: string, terminal: Pick<Terminal, 'now'>) {
    this.#client = client;
    this.#jobId = jobId;
    this.#terminal = terminal;
  }

  /** As in `ends 14:05–14:20`; null where nothing can be said. */
  async text(signal: AbortSignal): Promise<string | null> {
    const now = this.#terminal.now();
    if (now < this.#askAt) return this.#ends;
    this.#askAt = now + SHOWN_MS;
    try {
      this.#ends = endsText(
        await this.#client.call('explainJob', { params: { id: this.#jobId } }, { signal }),
      );
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof ApiError)) throw error;
      this.#ends = null;
      // A control plane of the release before can't say it, now or later.
      if (error instanceof ApiError && !error.retryable) this.#askAt = Number.POSITIVE_INFINITY;
    }
    return this.#ends;
  }
}
