import type { LeasedTask, LeaseName, Outcome } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { RecoveredTask } from '../worker/reportable.ts';
import type { Outbox } from './outbox.ts';
import type { OutboxRecord } from './record.ts';

type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/**
 * Writes to the agent's outbox and notices when the disk accepts no records. Then nothing new is leased, and
 * what is finished is still reported, from memory.
 */
export class Journal {
  readonly #outbox: Outbox | null;
  readonly #log: Log;
  readonly #onWritable: (writable: boolean) => void;
  #deployment: string | null = null;
  #writable = true;
  /** Records of unacknowledged leases that could not be written to the disk. */
  #unwritten: OutboxRecord[] = [];

  constructor(outbox: Outbox | null, log: Log, onWritable: (writable: boolean) => void) {
    this.#outbox = outbox;
    this.#log = log;
    this.#onWritable = onWritable;
  }

  /**
   * Sets the deployment that the worker talks to. Returns what an earlier process finished for it without an
   * acknowledgement. Records of other deployments stay in the file.
   */
  open(deployment: string): readonly RecoveredTask[] {
    this.#deployment = deployment;
    if (this.#outbox === null) return [];
    const foreign = this.#outbox.foreign(deployment);
    if (foreign > 0) this.#log('outbox.foreign', { tasks: foreign });
    const recovered = this.#outbox.unacknowledged(deployment);
    if (recovered.length > 0) {
      const outcomes = recovered.reduce((sum, task) => sum + task.outcomes.length, 0);
      this.#log('outbox.recovered', { tasks: recovered.length, outcomes });
    }
    return recovered;
  }

  /** Notes that a lease is held. */
  leased(lease: LeasedTask): Promise<void> {
    const { task_id, attempt, items } = lease;
    const copy = lease.copy ? { copy: true } : {};
    return this.#append({
      kind: 'leased',
      deployment: this.#knownDeployment(),
      task_id,
      attempt,
      items: items.length,
      ...copy,
    });
  }

  /** Saves an outcome. If the write fails, keeps the outcome in memory and still resolves. */
  finished({ task_id, attempt }: LeaseName, outcome: Outcome): Promise<void> {
    return this.#append({ kind: 'outcome', deployment: this.#knownDeployment(), task_id, attempt, outcome });
  }

  /** Notes that everything of a lease is acknowledged. */
  acknowledged({ task_id, attempt }: LeaseName): Promise<void> {
    this.#unwritten = this.#unwritten.filter(
      (record) => record.task_id !== task_id || record.attempt !== attempt,
    );
    return this.#append({ kind: 'settled', deployment: this.#knownDeployment(), task_id, attempt });
  }

  /** Retries the unwritten records after a write failure. */
  async probe(): Promise<void> {
    if (this.#writable) return;
    for (let missed = this.#unwritten[0]; missed !== undefined; missed = this.#unwritten[0]) {
      const record = missed;
      try {
        await this.#outbox?.append(record);
      } catch {
        return;
      }
      this.#unwritten = this.#unwritten.filter((each) => each !== record);
    }
    // A record without effect: there is no task 0.
    await this.acknowledged({ task_id: '0', attempt: 0 });
  }

  #knownDeployment(): string {
    if (this.#deployment === null) throw new Error('the outbox is written before the deployment is known');
    return this.#deployment;
  }

  async #append(record: OutboxRecord): Promise<void> {
    try {
      await this.#outbox?.append(record);
      // A small record may fit where a large one did not. That alone does not make the disk writable.
      if (this.#writable || this.#unwritten.length > 0) return;
      this.#log('outbox.writable');
      this.#setWritable(true);
    } catch (error) {
      if (record.kind !== 'settled') this.#unwritten.push(record);
      if (this.#writable) {
        this.#log('outbox.unwritable', { reason: messageOf(error), effect: 'no new work is taken' });
      }
      this.#setWritable(false);
    }
  }

  #setWritable(writable: boolean): void {
    if (writable === this.#writable) return;
    this.#writable = writable;
    this.#onWritable(writable);
  }
}
