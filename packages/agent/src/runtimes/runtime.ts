import type { ItemError } from '@macbatch/contract';
import type { WorkType } from '@macbatch/core';
import type { RuntimeWithdrawal } from '../worker/item-end.ts';

/** What a worker can run: a work type and a model alias. */
export interface Offer {
  readonly job_type: WorkType;
  /** The alias that a job names. The runtime maps it to a real model. */
  readonly model: string;
}

/** One item to run. */
export interface RunRequest {
  readonly job_type: WorkType;
  readonly model: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The parsed payload. */
  readonly payload: unknown;
  /** The JSON text of the payload, as it was submitted. */
  readonly payloadText: string;
  readonly signal: AbortSignal;
}

/** The model that really ran: the server's name for it, and a digest if the server has one. */
export interface ModelUsed {
  readonly name: string;
  readonly digest: string | null;
}

export interface RunResult {
  /** JSON text, kept byte for byte from here to the submitter. */
  readonly output: string;
  readonly model: ModelUsed;
  /** Counts of the server: tokens of the input and of the output, and others under the server's names. */
  readonly usage:
    | ({ readonly input_tokens?: number; readonly output_tokens?: number } & Readonly<Record<string, number>>)
    | null;
  /** The id that the model server gave to a raw request. */
  readonly requestId?: string | undefined;
}

/**
 * How a run failed. The class decides what the agent does:
 * `permanent`: records the item's error. The other items of the task continue.
 * `rejected`: the server says that it will not run this item. That is the item's error if the server runs other items.
 * `not_here`: this Mac cannot run it (model missing, wrong key): hands the task back and withdraws the offer.
 * `wait`: the server accepts no request now (it starts, is full, refuses connections). Sends nothing for a while. The
 * item has not run, so no attempt is charged.
 * `overload`: the server ended the request because too many ran concurrently. Retries the item, with fewer at once.
 * `interrupted`: the connection broke after the request was sent. Either the server died or the item killed it. Runs
 * the item alone to find out.
 * `timeout`: no complete answer within the time limit. The server may still be working on the request.
 * `transient`: the failure may not happen again. Retries a few times.
 * `crashed`: the process that ran the item died. Runs the item alone to find out whether the item killed it.
 */
export type FailureClass =
  | 'permanent'
  | 'rejected'
  | 'not_here'
  | 'wait'
  | 'overload'
  | 'interrupted'
  | 'timeout'
  | 'transient'
  | 'crashed';

/** The answer of a model server that is kept with an item's error. */
export type ErrorResponse = NonNullable<ItemError['response']>;

/** Facts about a failure other than its class, code and message. */
export interface FailureDetails {
  readonly cause?: unknown;
  /** For `not_here`: offers of the runtime that cannot be run until it has looked again. */
  readonly withdraws?: RuntimeWithdrawal | null;
  /** For `not_here`: the item may have caused the reply, which may quote the item or judge what it contains. */
  readonly mayBeOfItem?: boolean;
  /** For `wait`: how long the server asked for no requests. */
  readonly retryAfterMs?: number | null;
  /** For `timeout`: parts of the answer had arrived, so the server was working on this item. */
  readonly bytesArrived?: boolean;
  /** For `permanent`: the model that ran and what the server counted, if it did answer. */
  readonly ran?: Pick<RunResult, 'model' | 'usage'> | null;
  /** For raw requests: what the model server answered. */
  readonly response?: ErrorResponse | null;
}

/** Why a run failed. The message and the code reach the submitter. */
export class RunFailure extends Error {
  readonly failure: FailureClass;
  /** Stable, snake_case: `context_length_exceeded`, `model_not_found`, … */
  readonly code: string;
  readonly withdraws: RuntimeWithdrawal | null;
  readonly mayBeOfItem: boolean;
  readonly retryAfterMs: number | null;
  readonly bytesArrived: boolean;
  readonly ran: Pick<RunResult, 'model' | 'usage'> | null;
  readonly response: ErrorResponse | null;
  constructor(failure: FailureClass, code: string, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'RunFailure';
    this.failure = failure;
    this.code = code;
    this.withdraws = details.withdraws ?? null;
    this.mayBeOfItem = details.mayBeOfItem ?? false;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.bytesArrived = details.bytesArrived ?? false;
    this.ran = details.ran ?? null;
    this.response = details.response ?? null;
  }

  /** The same failure, with the offers that it withdraws. */
  withdrawing(withdraws: RuntimeWithdrawal): RunFailure {
    return new RunFailure(this.failure, this.code, this.message, { ...this, cause: this.cause, withdraws });
  }

  /** The same failure, with the answer of the model server. */
  answeredWith(response: ErrorResponse): RunFailure {
    return new RunFailure(this.failure, this.code, this.message, { ...this, cause: this.cause, response });
  }
}

/** One way to run items: a model server over HTTP, or a model in a child process. */
export interface Runtime {
  readonly name: string;
  /**
   * Its items run on a server that has other clients, and that may continue an aborted request.
   * @default false
   */
  readonly remote?: boolean;
  /** What this runtime is set up to run. */
  readonly offers: readonly Offer[];
  /** Runs one item. Rejects with `RunFailure`, or with the signal's reason when aborted. */
  run(request: RunRequest): Promise<RunResult>;
  /** Whether each of these withdrawn offers works again. `code` is that of its failure. */
  probe?(offers: readonly WithdrawnOffer[]): Promise<readonly boolean[]>;
  /** Whether the model answers a request for one token. */
  answers?(model: string): Promise<boolean>;
  /** How many items its server runs concurrently; null if that is not known. */
  slots?(): Promise<ServerSlots | null>;
  /**
   * Looks what its server offers now. Only a runtime whose server was not configured but discovered has this: its
   * `offers` are empty before the first look. A server that is missed for `goneAfterMs` has ended.
   */
  look?(goneAfterMs: number): Promise<Look>;
  /** Calls `listener` when a run has failed in a way that a look may explain. */
  onTrouble?(listener: () => void): void;
  close(): Promise<void>;
}

/** How many items a server runs concurrently. */
export interface ServerSlots {
  readonly count: number;
  /** The server has said so: more items would only wait. Otherwise it is what such servers do by default. */
  readonly isLimit: boolean;
}

/** What a look at a discovered server has found. */
interface Look {
  /** The server with its address, for messages. */
  readonly name: string;
  readonly offers: readonly Offer[];
  /** Names of models in memory. */
  readonly loaded: readonly string[];
  /** The server starts or may have ended: the next look should come soon. */
  readonly isUnsettled: boolean;
}

/** An offer that a runtime could not run, and the code of the failure. */
export interface WithdrawnOffer {
  readonly offer: Offer;
  readonly code: string;
}
