import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildProgram, startProgram } from '@macbatch/local-pool';

/** The fields of a worker's output lines that the protocol reads. */
interface WorkerLine {
  readonly event?: string;
  readonly time?: string;
  readonly task_id?: string;
  readonly attempt?: number;
  readonly items?: number;
  readonly boot?: { readonly boot_id: string };
  readonly previous_record_found?: boolean;
}

/** A worker of the protocol, on a simulated host: its folder of temporary files and its disk can be wiped. */
export class ProtocolWorker {
  readonly name: string;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #logPath: string;
  #program: ChildProgram | null = null;

  constructor(name: string, folder: string, env: Readonly<Record<string, string | undefined>>) {
    this.name = name;
    this.#folder = join(folder, name);
    this.#env = env;
    // Outside the folder that `wipe` removes.
    this.#logPath = join(folder, `${name}.log`);
    rmSync(this.#logPath, { force: true });
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
      this.#logPath,
    );
  }

  /** Ends the process with SIGKILL, like a power cut. */
  async kill(): Promise<void> {
    this.#program?.signal('SIGKILL');
    await this.#program?.exited;
  }

  async stop(): Promise<void> {
    this.#program?.signal('SIGTERM');
    await this.#program?.exited;
  }

  /** Removes all files of the worker, as if the host were a new machine of the same name. */
  wipe(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Reads every line that the worker has written, over all its boots. */
  lines(): WorkerLine[] {
    return readFileSync(this.#logPath, 'utf8')
      .split('\n')
      .flatMap((text) => {
        try {
          return [JSON.parse(text) as WorkerLine];
        } catch {
          return []; // a kill cut this line off
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

  /** Reads the leases that the worker was granted. */
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
