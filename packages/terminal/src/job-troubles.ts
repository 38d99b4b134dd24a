import { ApiError, type Client, Unreachable } from '@macbatch/client';
import type { JobExplanation } from '@macbatch/contract';
import { troubleText } from '@macbatch/wording';
import type { Terminal } from './terminal.ts';

/** How often the troubles of a job are read. */
const POLL_MS = 2000;

/** Prints what model servers say while a job waits for them: each trouble once, and when it is over. */
export class JobTroubles {
  readonly #client: Client;
  readonly #jobId: string;
  readonly #terminal: Pick<Terminal, 'now'>;
  readonly #note: (text: string) => void;
  #nextCallAt = Number.NEGATIVE_INFINITY;
  #shown: ReadonlyMap<string, string> = new Map();

  constructor(client: Client, jobId: string, terminal: Pick<Terminal, 'now'>, note: (text: string) => void) {
    this.#client = client;
    this.#jobId = jobId;
    this.#terminal = terminal;
    this.#note = note;
  }

  /** Prints what has changed. Returns what the job waits for; null if it was not read now. */
  async show(signal: AbortSignal): Promise<JobExplanation | null> {
    const now = this.#terminal.now();
    if (now < this.#nextCallAt) return null;
    this.#nextCallAt = now + POLL_MS;
    try {
      const explanation = await this.#client.call('explainJob', { params: { id: this.#jobId } }, { signal });
      this.#print(explanation);
      return explanation;
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof ApiError)) throw error;
      // A control plane of an earlier release has no such route.
      if (error instanceof ApiError && !error.retryable) this.#nextCallAt = Number.POSITIVE_INFINITY;
      return null;
    }
  }

  #print({ troubles, waits_for }: JobExplanation): void {
    const found = new Map(
      troubles.map((trouble) => [
        `${trouble.endpoint} ${trouble.code} ${trouble.message}`,
        `${trouble.worker_id}: ${troubleText(trouble)}`,
      ]),
    );
    for (const [key, text] of found) if (!this.#shown.has(key)) this.#note(text);
    // Between two tries, a server may look well for a moment.
    const isOver = found.size === 0 && waits_for === 'running';
    if (isOver && this.#shown.size > 0)
      this.#note('no worker reports trouble with its model server any more');
    if (found.size > 0) this.#shown = new Map([...this.#shown, ...found]);
    else if (isOver) this.#shown = new Map();
  }
}
