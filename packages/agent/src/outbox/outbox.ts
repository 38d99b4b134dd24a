import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Outcome } from '@macbatch/contract';
import type { RecoveredTask } from '../worker/reportable.ts';
import { type OutboxRecord, parseRecords, taskKey } from './record.ts';

interface Live {
  readonly lines: string[];
  bytes: number;
}

interface Waiting {
  readonly record: OutboxRecord;
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Answered records may take this much of the file before it is written anew. */
const SLACK_BYTES = 256 * 1024;

/**
 * W6: what a worker has finished, on its disk before it is reported, until the control plane has answered.
 * An append-only file of JSON lines, readable by its owner alone; a line that a crash has torn is dropped.
 * Records of other deployments are kept and left alone.
 */
export class Outbox {
  readonly #path: string;
  #file: FileHandle;
  /** Lines of tasks that are not answered for, of every deployment. */
  readonly #live = new Map<string, Live>();
  #liveBytes = 0;
  #fileBytes: number;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;

  private constructor(path: string, file: FileHandle, fileBytes: number) {
    this.#path = path;
    this.#file = file;
    this.#fileBytes = fileBytes;
  }

  /** Opens or makes the file at `path`, whose folder exists. */
  static async open(path: string): Promise<{ readonly outbox: Outbox; readonly dropped: number }> {
    const file = await open(path, 'a+', 0o600);
    const { records, goodBytes, dropped } = parseRecords(await readAll(file));
    // Whatever comes next must not be glued to a torn line.
    await file.truncate(goodBytes);
    const outbox = new Outbox(path, file, goodBytes);
    for (const { record, line } of records) outbox.#note(record, line);
    return { outbox, dropped };
  }

  /** Resolves when the record is on the disk; rejects when it can't be put there. */
  append(record: OutboxRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, line: `${JSON.stringify(record)}\n`, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** What is not answered for in this deployment, in the order it was leased. */
  unacknowledged(deployment: string): RecoveredTask[] {
    const tasks = new Map<string, { task_id: string; attempt: number; items: number; outcomes: Outcome[] }>();
    for (const { lines } of this.#live.values()) {
      for (const { record } of parseRecords(Buffer.from(lines.join(''))).records) {
        if (record.deployment !== deployment) break;
        const { task_id, attempt } = record;
        const known = tasks.get(taskKey(record));
        const task = known ?? { task_id, attempt, items: Number.POSITIVE_INFINITY, outcomes: [] };
        if (known === undefined) tasks.set(taskKey(record), task);
        // Whoever has a copy can't tell whether all of the task is there.
        if (record.kind === 'leased' && record.copy !== true) task.items = record.items;
        if (record.kind === 'outcome') task.outcomes.push(record.outcome);
      }
    }
    return [...tasks.values()];
  }

  /** Tasks of other deployments that are waiting here. */
  foreign(deployment: string): number {
    return [...this.#live.keys()].filter((key) => !key.startsWith(`${deployment}/`)).length;
  }

  async close(): Promise<void> {
    await this.#draining;
    await this.#file.close();
  }

  #note(record: OutboxRecord, line: string): void {
    const key = taskKey(record);
    if (record.kind === 'settled') {
      this.#liveBytes -= this.#live.get(key)?.bytes ?? 0;
      this.#live.delete(key);
      return;
    }
    const live = this.#live.get(key) ?? { lines: [], bytes: 0 };
    live.lines.push(line);
    live.bytes += Buffer.byteLength(line);
    this.#liveBytes += Buffer.byteLength(line);
    this.#live.set(key, live);
  }

  /** Writes what waits; those who come while it runs share the next write and its fsync. Never rejects. */
  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      const failure = await this.#write(batch.map(({ line }) => line).join('')).catch((error: unknown) => ({
        error,
      }));
      for (const { record, line } of batch) {
        // What is answered for gives its room back even where nothing can be written any more: at worst it is
        // reported once again after a restart.
        if (failure === undefined || record.kind === 'settled') this.#note(record, line);
      }
      // A file that can't be made smaller now is only larger than it must be.
      if (batch.some(({ record }) => record.kind === 'settled')) await this.#shrink().catch(() => undefined);
      for (const { resolve, reject } of batch) {
        if (failure === undefined) resolve();
        else reject(failure.error);
      }
    }
    // In the same step as the last look: whoever comes after this starts the next drain.
    this.#draining = null;
  }

  async #write(text: string): Promise<undefined> {
    try {
      await this.#file.appendFile(text);
      await this.#file.datasync();
      this.#fileBytes += Buffer.byteLength(text);
    } catch (error) {
      // A full disk may have taken a part of it: cut it off, so that the next line starts clean.
      await this.#file.truncate(this.#fileBytes).catch(() => undefined);
      throw error;
    }
  }

  async #shrink(): Promise<void> {
    const slack = this.#fileBytes - this.#liveBytes;
    if (this.#live.size === 0 || slack > Math.max(SLACK_BYTES, this.#liveBytes)) await this.#rewrite();
  }

  async #rewrite(): Promise<void> {
    if (this.#live.size === 0) {
      await this.#file.truncate(0);
      this.#fileBytes = 0;
      return;
    }
    const draft = `${this.#path}.new`;
    await unlink(draft).catch(() => undefined);
    const text = [...this.#live.values()].flatMap(({ lines }) => lines).join('');
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

/** A rename is only lasting once the folder is on the disk too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
