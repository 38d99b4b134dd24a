import type postgres from 'postgres';

/** Told whenever tasks may have become pending. */
export const WORK_CHANNEL = 'macbatch_work';

/**
 * Passes on that there may be work: from this process at once, from others by `LISTEN`. Only a hint; who
 * waits must also look by himself now and then, because `LISTEN` can die silently behind a pooler.
 */
export class Wake {
  readonly #client: postgres.Sql;
  readonly #listeners = new Set<() => void>();
  #listening: Promise<unknown> | null = null;

  constructor(client: postgres.Sql) {
    this.#client = client;
  }

  /** Calls `onWork` whenever there may be work; returns how to stop that. */
  subscribe(onWork: () => void): () => void {
    this.#listening ??= this.#client
      .listen(WORK_CHANNEL, () => this.local())
      .catch(() => {
        this.#listening = null; // tried again with the next who waits
      });
    this.#listeners.add(onWork);
    return () => this.#listeners.delete(onWork);
  }

  local(): void {
    for (const onWork of [...this.#listeners]) onWork();
  }

  async everywhere(): Promise<void> {
    await this.#client`select pg_notify(${WORK_CHANNEL}, '')`;
  }
}
