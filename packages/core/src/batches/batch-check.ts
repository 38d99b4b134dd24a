import { type BatchLine, type BatchLineError, parseBatchLine } from './batch-line.ts';
import { LinesByHash } from './lines-by-hash.ts';

/** Errors of an input file that are listed. */
const MAX_BATCH_ERRORS = 100;
/** Models that one batch can be routed to: each becomes a job. */
export const MAX_BATCH_MODELS = 50;

/** An error of an input file, as OpenAI describes it. */
export interface BatchInputError extends BatchLineError {
  /** From 1; null when the error is not about one line. */
  readonly line: number | null;
}

/** What a batch's input file must fulfil. */
export interface BatchTerms {
  readonly endpoint: string;
  readonly maxRequests: number;
  /** `refuse`: all lines must name one model. `route`: the lines of each model become a job. */
  readonly mixedModels: 'refuse' | 'route';
}

/** Checks the lines of a batch's input file one by one. Keeps a hash of each custom id in memory, but not the lines. */
export class BatchCheck {
  readonly #terms: BatchTerms;
  readonly #idHash: (customId: string) => bigint;
  readonly #errors: BatchInputError[] = [];
  readonly #lineOfId = new LinesByHash();
  readonly #requestsOfModel = new Map<string, number>();
  #total = 0;

  /** @param idHash a hash of 64 bits. */
  constructor(terms: BatchTerms, idHash: (customId: string) => bigint) {
    this.#terms = terms;
    this.#idHash = idHash;
  }

  /** Checks a line that is not blank. Returns false when the rest need not be read. */
  add(number: number, text: string): boolean {
    this.#total += 1;
    const { maxRequests, endpoint } = this.#terms;
    if (this.#total > maxRequests) {
      this.addError({
        code: 'too_many_tasks',
        message: `A batch may have at most ${maxRequests} requests.`,
        param: null,
        line: null,
      });
      return false;
    }
    const parsed = parseBatchLine(text, endpoint);
    const error = parsed.ok ? this.#acrossLines(number, parsed.line) : parsed.error;
    return error === null || this.addError({ ...error, line: number });
  }

  /** Adds an error that was found elsewhere. Returns false when no more errors are listed. */
  addError(error: BatchInputError): boolean {
    if (this.#errors.length < MAX_BATCH_ERRORS) this.#errors.push(error);
    return this.#errors.length < MAX_BATCH_ERRORS;
  }

  /** Empty when the file is valid. Call after the last line. */
  errors(): readonly BatchInputError[] {
    if (this.#total > 0 || this.#errors.length > 0) return this.#errors;
    return [{ code: 'empty_file', message: 'The input file has no requests.', param: null, line: null }];
  }

  /** The models in the order of their first lines. */
  models(): readonly string[] {
    return [...this.#requestsOfModel.keys()];
  }

  #acrossLines(number: number, { customId, model }: BatchLine): BatchLineError | null {
    const earlier = this.#lineOfId.add(this.#idHash(customId), number);
    if (earlier !== null) {
      return {
        code: 'duplicate_custom_id',
        message: `Line ${earlier} has the same custom_id, ${JSON.stringify(customId)}.`,
        param: 'custom_id',
      };
    }
    const isNew = !this.#requestsOfModel.has(model);
    const [first] = this.#requestsOfModel.keys();
    if (isNew && first !== undefined && this.#terms.mixedModels === 'refuse') {
      return {
        code: 'model_mismatch',
        message: `body.model is ${JSON.stringify(model)}, but all requests of a batch must have one model, and the first has ${JSON.stringify(first)}.`,
        param: 'body.model',
      };
    }
    if (isNew && this.#requestsOfModel.size === MAX_BATCH_MODELS) {
      return {
        code: 'too_many_models',
        message: `The requests of a batch may have at most ${MAX_BATCH_MODELS} models.`,
        param: 'body.model',
      };
    }
    this.#requestsOfModel.set(model, (this.#requestsOfModel.get(model) ?? 0) + 1);
    return null;
  }
}
