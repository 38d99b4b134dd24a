import type { JobType } from '@macbatch/core';

/** What a worker can run here: a job type under a model alias. */
export interface Offer {
  readonly job_type: JobType;
  /** The alias that a job names; the runtime maps it to a real model. */
  readonly model: string;
}

/** One item to run. `payload` is parsed; its exact text stays with the control plane. */
export interface RunRequest {
  readonly job_type: JobType;
  readonly model: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly payload: unknown;
  readonly signal: AbortSignal;
}

/** The model that really ran: the name as the server gives it, and a digest where it tells one. */
export interface ModelUsed {
  readonly name: string;
  readonly digest: string | null;
}

export interface RunResult {
  /** JSON text, kept byte for byte from here to the submitter. */
  readonly output: string;
  readonly model: ModelUsed;
  readonly usage: { readonly input_tokens?: number; readonly output_tokens?: number } | null;
}

/**
 * How a run failed, which decides what the agent does:
 * `permanent`: the item's own recorded error; the rest of the task goes on.
 * `not_here`: this Mac can't (model missing, out of memory): hand the task back, withdraw the offer.
 * `wait`: the server starts or is full: back off, no attempt lost.
 * `transient`: retry here a little, then fail the task.
 * `crashed`: the process that ran it died; whether it was this item's fault is found out (`quarantine.ts`).
 */
export type FailureClass = 'permanent' | 'not_here' | 'wait' | 'transient' | 'crashed';

export class RunFailure extends Error {
  readonly failure: FailureClass;
  /** Stable, snake_case: `context_length_exceeded`, `model_not_found`, … */
  readonly code: string;
  constructor(failure: FailureClass, code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'RunFailure';
    this.failure = failure;
    this.code = code;
  }
}

/** One way to run items: a model server over HTTP, or a model in a child process. */
export interface Runtime {
  readonly name: string;
  /** What this runtime can run right now; asked before every heartbeat. */
  offers(): readonly Offer[];
  /** Runs one item. Rejects with `RunFailure`; with the signal's reason when aborted. */
  run(request: RunRequest): Promise<RunResult>;
  close(): Promise<void>;
}
