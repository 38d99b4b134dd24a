import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from './replace-file.ts';

/** Longest list of items that are remembered. The oldest are forgotten first. */
const MAX_CRASHED = 200;
/** The file is written anew when it is larger than this. */
const MAX_FILE_BYTES = 256 * 1024;

const Started = z.object({
  run: z.int(),
  task_id: z.string(),
  item_id: z.string(),
  /** It ran as a suspect: nothing else ran on this Mac. */
  alone: z.boolean(),
});
type Started = z.infer<typeof Started>;
const Ended = z.object({ ended: z.int() });

const Crashed = z.object({ task_id: z.string(), item_id: z.string(), crashes_alone: z.int().min(0) });
/** An item that was running when an earlier process of this worker died. */
export type CrashedItem = z.infer<typeof Crashed>;

/**
 * Notes on the disk which items run, so that the next process of this worker knows which were running when this one
 * died. The notes need to survive the process, not a power cut, so they are not synced.
 */
export class RunningItems {
  readonly #runningPath: string;
  readonly #crashedPath: string;
  readonly #running = new Map<number, Started>();
  #crashed: readonly CrashedItem[];
  #file: number;
  #bytes = 0;

  /** The process before this one did not end in order. */
  readonly afterCrash: boolean;

  private constructor(
    runningPath: string,
    crashedPath: string,
    crashed: readonly CrashedItem[],
    afterCrash: boolean,
  ) {
    this.#runningPath = runningPath;
    this.#crashedPath = crashedPath;
    this.#crashed = crashed;
    this.afterCrash = afterCrash;
    this.#file = openSync(runningPath, 'w', 0o600);
  }

  /** Reads what earlier processes left, and starts anew. An unreadable file counts as empty. */
  static async open(runningPath: string, crashedPath: string): Promise<RunningItems> {
    // A process that ends in order removes the file.
    const afterCrash = existsSync(runningPath);
    const crashed = withCrashes(readCrashed(crashedPath), readRunning(runningPath));
    // Before the list of running items is emptied, or a crash now would lose both.
    if (crashed.length > 0) await replaceFile(crashedPath, JSON.stringify(crashed)).catch(() => undefined);
    return new RunningItems(runningPath, crashedPath, crashed, afterCrash);
  }

  /** Items that were running when an earlier process died, and have no outcome since. */
  get crashed(): readonly CrashedItem[] {
    return this.#crashed;
  }

  /** Notes an item that starts, before it starts. */
  started(run: number, item: Omit<Started, 'run'>): void {
    const started = { run, ...item };
    this.#running.set(run, started);
    this.#write(started);
  }

  ended(run: number): void {
    if (!this.#running.delete(run)) return;
    if (this.#running.size > 0 && this.#bytes < MAX_FILE_BYTES) {
      this.#write({ ended: run });
      return;
    }
    this.#empty();
    for (const started of this.#running.values()) this.#write(started);
  }

  /** Forgets the crashes of an item that has an outcome. */
  async forget(taskId: string, itemId: string): Promise<void> {
    const left = this.#crashed.filter((each) => each.task_id !== taskId || each.item_id !== itemId);
    if (left.length === this.#crashed.length) return;
    this.#crashed = left;
    await replaceFile(this.#crashedPath, JSON.stringify(left)).catch(() => undefined);
  }

  /** Removes the notes: the process ends in order. */
  close(): void {
    closeSync(this.#file);
    rmSync(this.#runningPath, { force: true });
  }

  /** If the disk cannot be written, a crash is forgotten but no outcome is lost. */
  #write(line: object): void {
    try {
      this.#bytes += writeSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch {
      this.#bytes = MAX_FILE_BYTES;
    }
  }

  #empty(): void {
    try {
      closeSync(this.#file);
      this.#file = openSync(this.#runningPath, 'w', 0o600);
      this.#bytes = 0;
    } catch {
      this.#bytes = MAX_FILE_BYTES;
    }
  }
}

function withCrashes(before: readonly CrashedItem[], running: readonly Started[]): readonly CrashedItem[] {
  const crashed = new Map(before.map((item) => [`${item.task_id}/${item.item_id}`, item]));
  for (const { task_id, item_id, alone } of running) {
    const name = `${task_id}/${item_id}`;
    const crashes = crashed.get(name)?.crashes_alone ?? 0;
    crashed.delete(name);
    crashed.set(name, { task_id, item_id, crashes_alone: crashes + (alone ? 1 : 0) });
  }
  return [...crashed.values()].slice(-MAX_CRASHED);
}

function readCrashed(path: string): readonly CrashedItem[] {
  try {
    return z.array(Crashed).parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return [];
  }
}

function readRunning(path: string): readonly Started[] {
  const running = new Map<number, Started>();
  for (const line of linesOf(path)) {
    const started = Started.safeParse(line);
    if (started.success) running.set(started.data.run, started.data);
    const ended = Ended.safeParse(line);
    if (ended.success) running.delete(ended.data.ended);
  }
  return [...running.values()];
}

function linesOf(path: string): readonly unknown[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as unknown];
        } catch {
          return [];
        }
      });
  } catch {
    return [];
  }
}
