import { MAX_BATCH_MODELS } from './batch-check.ts';
import { LinesByHash } from './lines-by-hash.ts';
import { type MessageRequestProblem, parseMessageRequest } from './message-request.ts';

/**
 * Checks the requests of a message batch one by one. Keeps a hash of each custom id in memory, but not the requests.
 */
export class MessageBatchCheck {
  readonly #maxRequests: number;
  readonly #idHash: (customId: string) => bigint;
  readonly #positionOfId = new LinesByHash();
  readonly #models = new Set<string>();
  #total = 0;

  /** @param idHash a hash of 64 bits. */
  constructor(maxRequests: number, idHash: (customId: string) => bigint) {
    this.#maxRequests = maxRequests;
    this.#idHash = idHash;
  }

  /** Requests so far. */
  get total(): number {
    return this.#total;
  }

  /** The models in the order of their first requests. */
  models(): readonly string[] {
    return [...this.#models];
  }

  /** Checks the next request. Returns what is wrong with it; `member` is its path in the body of the batch. */
  add(text: string): MessageRequestProblem | null {
    const position = this.#total;
    this.#total += 1;
    if (this.#total > this.#maxRequests)
      return { member: 'requests', problem: `must have at most ${this.#maxRequests} requests` };
    const parsed = parseMessageRequest(text);
    const found = parsed.ok ? this.#acrossRequests(position, parsed.request) : parsed;
    if (found === null) return null;
    const path = `requests.${position}`;
    return { member: found.member === null ? path : `${path}.${found.member}`, problem: found.problem };
  }

  #acrossRequests(
    position: number,
    { customId, model }: { readonly customId: string; readonly model: string },
  ): MessageRequestProblem | null {
    const earlier = this.#positionOfId.add(this.#idHash(customId), position);
    if (earlier !== null)
      return {
        member: 'custom_id',
        problem: `must be unique, but requests.${earlier} has ${JSON.stringify(customId)} too`,
      };
    this.#models.add(model);
    if (this.#models.size > MAX_BATCH_MODELS)
      return {
        member: 'params.model',
        problem: `is one model more than the ${MAX_BATCH_MODELS} that a batch may have`,
      };
    return null;
  }
}
