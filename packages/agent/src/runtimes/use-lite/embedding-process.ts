import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { RunFailure } from '../runtime.ts';
import type { ChildMessage, Reading, ReadTexts } from './use-lite-messages.ts';

/** Larger batches are not faster. They would only delay the first answer. */
const TEXTS_PER_BATCH = 32;
/** Time for the child to end a batch. It has nothing to save. */
const CLOSE_WITHIN_MS = 2000;
/** Number of characters of an exited child's last output that are reported. */
const MAX_LAST_OUTPUT = 1000;
/** The runtime gives up after this many children in a row have exited before they loaded the model. */
const MAX_FAILED_STARTS = 3;

// The workspace runs the source, an installed package the compiled file.
const CHILD = import.meta.url.endsWith('.ts')
  ? new URL('./use-lite-child.ts', import.meta.url)
  : new URL('./use-lite-child.js', import.meta.url);

export interface ModelReading extends Reading {
  readonly digest: string;
}

interface Waiting {
  readonly text: string;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (reading: ModelReading) => void;
  readonly reject: (reason: unknown) => void;
}

interface Child {
  readonly process: ChildProcess;
  digest: string;
  /** The process has loaded the model. If it crashes from now on, a text may be the cause. */
  loaded: boolean;
  lastOutput: string;
}

/**
 * Runs the model in a child process. The first text starts it, and the first text after its death starts it again.
 * Texts that wait at the same time are read in one batch.
 */
export class EmbeddingProcess {
  readonly #modulesFrom: string;
  readonly #program: URL;
  #child: Child | null = null;
  #queue: Waiting[] = [];
  #inFlight: readonly Waiting[] = [];
  #batch = 0;
  #failedStarts = 0;
  #scheduled: boolean = false;
  #closed: boolean = false;

  /** `modulesFrom`: URL of the file that optional packages are resolved from. `program`: what the child runs. */
  constructor(modulesFrom: string, program: URL = CHILD) {
    this.#modulesFrom = modulesFrom;
    this.#program = program;
  }

  /** Id of the child process, if one runs. */
  get pid(): number | undefined {
    return this.#child?.process.pid;
  }

  /** Reads a text. Rejects with `RunFailure`, or immediately with the signal's reason when aborted. */
  async read(text: string, signal?: AbortSignal): Promise<ModelReading> {
    signal?.throwIfAborted();
    if (this.#closed) throw closed();
    const { promise, resolve, reject } = Promise.withResolvers<ModelReading>();
    const waiting: Waiting = { text, signal, resolve, reject };
    const abort = () => {
      // The child reads a text that it already has to the end. Its result is dropped.
      this.#queue = this.#queue.filter((other) => other !== waiting);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#queue.push(waiting);
    this.#schedule();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#child?.process;
    this.#child = null;
    this.#rejectAll(closed());
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    if (child.connected) child.disconnect();
    const deadline = setTimeout(() => child.kill('SIGKILL'), CLOSE_WITHIN_MS);
    await exited;
    clearTimeout(deadline);
  }

  /** Waits one turn of the event loop, so that texts that are submitted together form one batch. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#sendNext();
    });
  }

  #sendNext(): void {
    if (this.#inFlight.length > 0 || this.#queue.length === 0 || this.#closed) return;
    this.#child ??= this.#start();
    const child = this.#child;
    this.#inFlight = this.#queue.splice(0, TEXTS_PER_BATCH);
    this.#batch += 1;
    const message: ReadTexts = { id: this.#batch, texts: this.#inFlight.map(({ text }) => text) };
    child.process.send(message, (error) => {
      if (error !== null) this.#lost(child, String(error));
    });
  }

  #start(): Child {
    const started = fork(this.#program, [this.#modulesFrom], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // The child needs no environment, and the environment contains the worker's key.
      env: {},
      execArgv: [],
    });
    const child: Child = { process: started, digest: '', loaded: false, lastOutput: '' };
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      child.lastOutput = (child.lastOutput + text).slice(-MAX_LAST_OUTPUT);
    });
    started.on('message', (message) => this.#receive(child, message as ChildMessage));
    started.on('error', (error) => this.#lost(child, String(error)));
    // At 'close', unlike at 'exit', all of its output has been read.
    started.on('close', (code, signal) => this.#lost(child, `it ended with ${signal ?? `code ${code}`}`));
    return child;
  }

  #receive(child: Child, message: ChildMessage): void {
    if (child !== this.#child) return;
    if (message.kind === 'loaded') {
      child.digest = message.digest;
      child.loaded = true;
      this.#failedStarts = 0;
      return;
    }
    if (message.kind === 'unavailable') {
      this.#child = null;
      child.process.disconnect();
      this.#rejectAll(new RunFailure('not_here', message.code, message.message));
      return;
    }
    if (message.id !== this.#batch) return;
    const batch = this.#inFlight;
    this.#inFlight = [];
    for (const [at, { resolve, reject }] of batch.entries()) {
      const reading = message.readings[at] ?? { error: 'the model gave no vector' };
      if ('error' in reading) {
        reject(new RunFailure('transient', 'model_failed', `the model "use-lite" failed: ${reading.error}`));
      } else {
        resolve({ ...reading, digest: child.digest });
      }
    }
    this.#schedule();
  }

  /**
   * Rejects texts in flight, as one of them may have killed the child. Waiting texts go to the next child. A child
   * that has not loaded its model has read nothing, so no text is to blame.
   */
  #lost(child: Child, why: string): void {
    if (child !== this.#child) return;
    this.#child = null;
    // It may only have lost its channel. Two children must not run at the same time.
    child.process.kill('SIGKILL');
    const lastOutput = child.lastOutput.trim();
    const how = `${why}${lastOutput === '' ? '' : `: ${lastOutput}`}`;
    const batch = this.#inFlight;
    this.#inFlight = [];
    if (child.loaded) {
      const message = `the process of the model "use-lite" has ended: ${how}`;
      for (const { reject } of batch) reject(new RunFailure('crashed', 'runtime_crashed', message));
    } else {
      this.#queue.unshift(...batch.filter(({ signal }) => signal?.aborted !== true));
      this.#failedStarts += 1;
      if (this.#failedStarts >= MAX_FAILED_STARTS) {
        this.#failedStarts = 0;
        const message = `the process of the model "use-lite" does not start: ${how}`;
        this.#rejectAll(new RunFailure('not_here', 'runtime_does_not_start', message));
      }
    }
    this.#schedule();
  }

  #rejectAll(reason: RunFailure): void {
    const all = [...this.#inFlight, ...this.#queue];
    this.#inFlight = [];
    this.#queue = [];
    for (const { reject } of all) reject(reason);
  }
}

function closed(): RunFailure {
  return new RunFailure('transient', 'runtime_closed', 'the model "use-lite" is closed');
}
