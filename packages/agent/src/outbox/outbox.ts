import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Outcome } from '@macbatch/contract';
import type { RecoveredTask } from '../worker/reportable.ts';
import { type OutboxRecord, parseRecords, taskKey } from './record.ts';

/** The unacknowledged records of one lease. */
interface UnacknowledgedLines {
  readonly lines: string[];
  bytes: number;
}

/** A record that waits to be written. */
interface Waiting {
  readonly record: OutboxRecord;
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes of acknowledged records that the file may contain before it is rewritten. */
const SLACK_BYTES = 256 * 1024;

/**
 * W6: keeps what a worker has finished on its disk, from before it is reported until it is acknowledged. An
 * append-only file of JSON lines that only its owner can read. A line that a crash has cut off is dropped.
 * Records of other deployments stay untouched.
 */
export class Outbox {
  readonly #path: string;
  #file: FileHandle;
  /** By `taskKey`: lines of leases that are not acknowledged, of every deployment. */
  readonly #unacknowledged = new Map<string, UnacknowledgedLines>();
  #unacknowledgedBytes = 0;
  #fileBytes: number;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;

  private constructor(path: string, file: FileHandle, fileBytes: number) {
    this.#path = path;
    this.#file = file;
    this.#fileBytes = fileBytes;
  }

  /** Opens the file at `path`, or creates it in an existing folder. `dropped` counts unreadable lines. */
  static async open(path: string): Promise<{ readonly outbox: Outbox; readonly dropped: number }> {
    const file = await open(path, 'a+', 0o600);
    const { records, goodBytes, dropped } = parseRecords(await readAll(file));
    // The next record must not continue a line that was cut off.
    await file.truncate(goodBytes);
    const outbox = new Outbox(path, file, goodBytes);
    for (const { record, line } of records) outbox.#track(record, line);
    return { outbox, dropped };
  }

  /** Writes a record. Resolves when it is on the disk; rejects when it cannot be written. */
  append(record: OutboxRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, line: `${JSON.stringify(record)}\n`, resolve, reject });
      this.#writing ??= this.#writeWaiting();
    });
  }

  /** Returns the unacknowledged tasks of a deployment, oldest lease first. */
  unacknowledged(deployment: string): RecoveredTask[] {
    const tasks = new Map<string, { task_id: string; attempt: number; items: number; outcomes: Outcome[] }>();
    for (const { lines } of this.#unacknowledged.values()) {
      for (const { record } of parseRecords(Buffer.from(lines.join(''))).records) {
        if (record.deployment !== deployment) break;
        const { task_id, attempt } = record;
        const known = tasks.get(taskKey(record));
        const task = known ?? { task_id, attempt, items: Number.POSITIVE_INFINITY, outcomes: [] };
        if (known === undefined) tasks.set(taskKey(record), task);
        // The record of a copy counts only the copied items, not all items of the task.
        if (record.kind === 'leased' && record.copy !== true) task.items = record.items;
        if (record.kind === 'outcome') task.outcomes.push(record.outcome);
      }
    }
    return [...tasks.values()];
  }

  /** Counts the leases of other deployments in the file. */
  foreign(deployment: string): number {
    return [...this.#unacknowledged.keys()].filter((key) => !key.startsWith(`${deployment}/`)).length;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }

  #track(record: OutboxRecord, line: string): void {
    const key = taskKey(record);
    if (record.kind === 'settled') {
      this.#unacknowledgedBytes -= this.#unacknowledged.get(key)?.bytes ?? 0;
      this.#unacknowledged.delete(key);
      return;
    }
    const live = this.#unacknowledged.get(key) ?? { lines: [], bytes: 0 };
    live.lines.push(line);
    live.bytes += Buffer.byteLength(line);
    this.#unacknowledgedBytes += Buffer.byteLength(line);
    this.#unacknowledged.set(key, live);
  }

  /** Writes all waiting records. Records that are appended during a write share the next write and fsync. Never rejects. */
  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      const failure = await this.#write(batch.map(({ line }) => line).join('')).catch((error: unknown) => ({
        error,
      }));
      for (const { record, line } of batch) {
        // An acknowledged lease is dropped even if the disk does not take the record. At worst it is reported once
        // more after a restart.
        if (failure === undefined || record.kind === 'settled') this.#track(record, line);
      }
      // A failure to shrink is harmless: the file only stays larger than needed.
      if (batch.some(({ record }) => record.kind === 'settled')) await this.#shrink().catch(() => undefined);
      for (const { resolve, reject } of batch) {
        if (failure === undefined) resolve();
        else reject(failure.error);
      }
    }
    // Reset without an await after the loop's last check. Otherwise the next `append` would not start a write.
    this.#writing = null;
  }

  async #write(text: string): Promise<undefined> {
    try {
      await this.#file.appendFile(text);
      await this.#file.datasync();
      this.#fileBytes += Buffer.byteLength(text);
    } catch (error) {
      // A full disk may have stored part of the text. Truncate it, so that the next record starts on a new line.
      await this.#file.truncate(this.#fileBytes).catch(() => undefined);
      throw error;
    }
  }

  async #shrink(): Promise<void> {
    const slack = this.#fileBytes - this.#unacknowledgedBytes;
    if (this.#unacknowledged.size === 0 || slack > Math.max(SLACK_BYTES, this.#unacknowledgedBytes))
      await this.#rewrite();
  }

  async #rewrite(): Promise<void> {
    if (this.#unacknowledged.size === 0) {
      await this.#file.truncate(0);
      this.#fileBytes = 0;
      return;
    }
    const text = [...this.#unacknowledged.values()].flatMap(({ lines }) => lines).join('');
    const draft = `${this.#path}.new`;
    await unlink(draft).catch(() => undefined);
    // Open the new file before the rename, so that there is always a file to append to.
    const file = await open(draft, 'ax+', 0o600);
    try {
      await file.appendFile(text);
      await file.sync();
      await rename(draft, this.#path);
    } catch (error) {
      await file.close();
      await unlink(draft).catch(() => undefined);
      throw error;
    }
    const old = this.#file;
    this.#file = file;
    this.#fileBytes = Buffer.byteLength(text);
    await old.close();
    await syncFolder(dirname(this.#path));
  }
}

async function readAll(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await file.read(bytes, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

/** A rename survives a power cut only when the folder is on the disk too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
