import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildProgram, startProgram } from '@macbatch/local-pool';

/** Events of a worker's own output, as far as the protocol reads them. */
interface WorkerLine {
  readonly event?: string;
  readonly time?: string;
  readonly task_id?: string;
  readonly attempt?: number;
  readonly items?: number;
  readonly boot?: { readonly boot_id: string };
  readonly previous_record_found?: boolean;
}

/** A worker of the protocol's own: a Mac with a temp folder and a disk that can be wiped. */
export class ProtocolWorker {
  readonly name: string;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #sink: string;
  #program: ChildProgram | null = null;

  constructor(name: string, folder: string, env: Readonly<Record<string, string | undefined>>) {
    this.name = name;
    this.#folder = join(folder, name);
    this.#env = env;
    // Outside of what a restart wipes.
    this.#sink = join(folder, `${name}.log`);
    rmSync(this.#sink, { force: true });
  }

  start(): void {
    mkdirSync(join(this.#folder, 'tmp'), { recursive: true });
    this.#program = startProgram(
      '@macbatch/worker',
      this.name,
      {
        ...this.#env,
        MACBATCH_WORKER_ID: this.name,
        MACBATCH_STATE_DIR: join(this.#folder, 'state'),
        TMPDIR: join(this.#folder, 'tmp'),
      },
      this.#sink,
    );
  }

  /** Ends the process without a word, as a power cut does. */
  async kill(): Promise<void> {
    this.#program?.signal('SIGKILL');
    await this.#program?.exited;
  }

  async stop(): Promise<void> {
    this.#program?.signal('SIGTERM');
    await this.#program?.exited;
  }

  /** What a new machine of the same name has: nothing. */
  wipe(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Every line it has written, over all its boots. */
  lines(): WorkerLine[] {
    return readFileSync(this.#sink, 'utf8')
      .split('\n')
      .flatMap((text) => {
        try {
          return [JSON.parse(text) as WorkerLine];
        } catch {
          return []; // the line that a kill has torn
        }
      });
  }

  boots(): { readonly bootId: string; readonly recordFound: boolean }[] {
    return this.lines().flatMap((line) =>
      line.boot === undefined
        ? []
        : [{ bootId: line.boot.boot_id, recordFound: line.previous_record_found ?? false }],
    );
  }

  /** Leases it was granted: task, lease number, items, and when. */
  leases(): {
    readonly taskId: string;
    readonly attempt: number;
    readonly items: number;
    readonly at: number;
  }[] {
    return this.lines().flatMap(({ event, task_id, attempt, items, time }) =>
      event === 'task.leased' && task_id !== undefined
        ? [{ taskId: task_id, attempt: attempt ?? 0, items: items ?? 0, at: Date.parse(time ?? '') }]
        : [],
    );
  }
}
