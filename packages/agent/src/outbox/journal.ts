import type { LeasedTask, LeaseName, Outcome } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { Outbox, UnsettledTask } from './outbox.ts';
import type { OutboxRecord } from './record.ts';

type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/**
 * An agent's side of its outbox: puts records on the disk and knows when the disk takes none. Then nothing
 * new is leased; what is finished is still reported, from memory.
 */
export class Journal {
  readonly #outbox: Outbox | null;
  readonly #log: Log;
  #deployment: string | null = null;
  #writable = true;
  /** What the disk did not take, of leases that are not settled. */
  #unwritten: OutboxRecord[] = [];

  constructor(outbox: Outbox | null, log: Log) {
    this.#outbox = outbox;
    this.#log = log;
  }

  /** False while the disk takes nothing. */
  get writable(): boolean {
    return this.#writable;
  }

  /**
   * Names the deployment that the worker talks to, and gives back what an earlier process finished for it
   * and never had answered. Records of other deployments stay where they are.
   */
  open(deployment: string): UnsettledTask[] {
    this.#deployment = deployment;
    if (this.#outbox === null) return [];
    const foreign = this.#outbox.foreign(deployment);
    if (foreign > 0) this.#log('outbox.foreign', { tasks: foreign });
    const unsettled = this.#outbox.unsettled(deployment);
    if (unsettled.length > 0) {
      const outcomes = unsettled.reduce((sum, task) => sum + task.outcomes.length, 0);
      this.#log('outbox.recovered', { tasks: unsettled.length, outcomes });
    }
    return unsettled;
  }

  leased(lease: LeasedTask): Promise<void> {
    const { task_id, attempt, items } = lease;
    const copy = lease.copy ? { copy: true } : {};
    return this.#append({
      kind: 'leased',
      deployment: this.#known(),
      task_id,
      attempt,
      items: items.length,
      ...copy,
    });
  }

  finished({ task_id, attempt }: LeaseName, outcome: Outcome): Promise<void> {
    return this.#append({ kind: 'outcome', deployment: this.#known(), task_id, attempt, outcome });
  }

  settled({ task_id, attempt }: LeaseName): Promise<void> {
    this.#unwritten = this.#unwritten.filter(
      (record) => record.task_id !== task_id || record.attempt !== attempt,
    );
    return this.#append({ kind: 'settled', deployment: this.#known(), task_id, attempt });
  }

  /** Looks whether a disk that took nothing takes something again: first of all what it did not take. */
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
    // A record that says nothing: there is no task 0.
    await this.settled({ task_id: '0', attempt: 0 });
  }

  #known(): string {
    if (this.#deployment === null)
      throw new Error('nothing is leased before the first heartbeat was answered');
    return this.#deployment;
  }

  async #append(record: OutboxRecord): Promise<void> {
    try {
      await this.#outbox?.append(record);
      // A small record may find room where a large one did not: that alone is no reason to go on.
      if (this.#writable || this.#unwritten.length > 0) return;
      this.#log('outbox.writable');
      this.#writable = true;
    } catch (error) {
      if (record.kind !== 'settled') this.#unwritten.push(record);
      const reason = messageOf(error);
      if (this.#writable) this.#log('outbox.unwritable', { reason, effect: 'no new work is taken' });
      this.#writable = false;
    }
  }
}
