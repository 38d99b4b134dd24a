import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { RunFailure } from '../runtime.ts';
import type { ChildMessage, Reading, ReadTexts } from './use-lite-messages.ts';

/** Enough to be as fast as the model gets; more would only delay the first answer. */
const TEXTS_PER_BATCH = 32;
/** The child has nothing to save: it gets the time to end a batch, not more. */
const CLOSE_WITHIN_MS = 2000;
/** How much of what a child wrote before it died is told. */
const LAST_WORDS = 1000;
/** Children in a row that die before they have the model: after them no other would get up either. */
const FAILED_STARTS = 3;

// Node runs the source in the workspace and the compiled file in an installed package.
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
  /** It has the model: what kills it now may be what it reads. */
  loaded: boolean;
  lastWords: string;
}

/**
 * The model's process as the worker sees it: started by the first text, started again by the first
 * text after it died. Texts that wait at the same time are read together.
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

  /** `modulesFrom`: URL of the file from which the optional packages are looked up; `program`: what the child runs. */
  constructor(modulesFrom: string, program: URL = CHILD) {
    this.#modulesFrom = modulesFrom;
    this.#program = program;
  }

  /** The process that holds the model now. */
  get pid(): number | undefined {
    return this.#child?.process.pid;
  }

  /** Rejects with `RunFailure`, or at once with the signal's reason. */
  async read(text: string, signal?: AbortSignal): Promise<ModelReading> {
    signal?.throwIfAborted();
    if (this.#closed) throw closed();
    const { promise, resolve, reject } = Promise.withResolvers<ModelReading>();
    const waiting: Waiting = { text, signal, resolve, reject };
    const abort = () => {
      // A text that the child already has is read to its end; nobody waits for it.
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

  /** One turn of the event loop later, so that what is submitted together is read together. */
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
      // It needs nothing of the environment, which holds the worker's key.
      env: {},
      execArgv: [],
    });
    const child: Child = { process: started, digest: '', loaded: false, lastWords: '' };
    started.stderr?.setEncoding('utf8').on('data', (words: string) => {
      child.lastWords = (child.lastWords + words).slice(-LAST_WORDS);
    });
    started.on('message', (message) => this.#hear(child, message as ChildMessage));
    started.on('error', (error) => this.#lost(child, String(error)));
    // 'close' and not 'exit': by then its last words have been read.
    started.on('close', (code, signal) => this.#lost(child, `it ended with ${signal ?? `code ${code}`}`));
    return child;
  }

  #hear(child: Child, message: ChildMessage): void {
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
   * What was in flight may be what killed it, and is the caller's to try again; what waits goes to the next
   * child. A child that has not even loaded its model has read nothing: then no text is to blame.
   */
  #lost(child: Child, why: string): void {
    if (child !== this.#child) return;
    this.#child = null;
    // One that only lost its channel must not stay beside its successor.
    child.process.kill('SIGKILL');
    const lastWords = child.lastWords.trim();
    const how = `${why}${lastWords === '' ? '' : `: ${lastWords}`}`;
    const batch = this.#inFlight;
    this.#inFlight = [];
    if (child.loaded) {
      const message = `the process of the model "use-lite" is gone: ${how}`;
      for (const { reject } of batch) reject(new RunFailure('crashed', 'runtime_crashed', message));
    } else {
      this.#queue.unshift(...batch.filter(({ signal }) => signal?.aborted !== true));
      this.#failedStarts += 1;
      if (this.#failedStarts >= FAILED_STARTS) {
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
  return new RunFailure('transient', 'runtime_closed', 'the model "use-lite" was closed');
}
