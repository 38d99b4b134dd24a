import { BatchClaimLost, type Store } from '@macbatch/store';
import { isOutage } from '../requests/outage.ts';
import { type BatchLimits, DEFAULT_BATCH_LIMITS } from './batch-limits.ts';
import { finalizeBatch } from './finalize-batch.ts';
import { followJobs } from './follow-jobs.ts';
import { validateBatch } from './validate-batch.ts';

/** How long a claim lasts. A batch of a control plane that was killed waits for as long. */
const CLAIM_SECONDS = 30;
/** Longest time between two renewals of a claim, each of which also notices that somebody cancelled the batch. */
const RENEWAL_MS = 1000;
/** Batches that one control plane works on at the same time. */
const MAX_RUNNING = 3;
/** Time between two looks for work that another control plane has announced, or that time has brought. */
const POLL_MS = 1500;
/** Time between two removals of what has expired. */
const REMOVAL_MS = 60_000;

export interface BatchRunnerOptions {
  readonly store: Store;
  readonly limits?: Partial<BatchLimits>;
  /** Receives every error of background work. The work is repeated later. */
  readonly onError: (error: Error, batch: string | null) => void;
  /** @default 30 s */
  readonly claimSeconds?: number;
}

/** Does the background work of batches: validation, files, expiry, removal of old files. */
export interface BatchRunner {
  /** Looks for work now. */
  wake(): void;
  /** Does all work that is there, and resolves when there is none left. */
  settle(): Promise<void>;
  /** Works until `signal` aborts. Work in progress is then given up, and repeated by the next control plane. */
  run(signal: AbortSignal): Promise<void>;
}

type Claimed = NonNullable<Awaited<ReturnType<Store['batches']['claim']>>>;

export function createBatchRunner(options: BatchRunnerOptions): BatchRunner {
  const { store, onError } = options;
  const limits = { ...DEFAULT_BATCH_LIMITS, ...options.limits };
  const claimSeconds = options.claimSeconds ?? CLAIM_SECONDS;
  const running = new Set<Promise<void>>();
  let woken = Promise.withResolvers<void>();

  async function work(claimed: Claimed, stopping: AbortSignal): Promise<void> {
    const { claim, batch } = claimed;
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping, lost.signal]);
    const renewal = setInterval(
      () => {
        store.batches
          .renew(claim, batch.state, claimSeconds)
          .then((held) => {
            if (!held) lost.abort(new BatchClaimLost(batch.id));
          })
          .catch((error: Error) => onError(error, batch.id));
      },
      Math.min(RENEWAL_MS, claimSeconds * 333),
    );
    try {
      await step(store, limits, claimed, signal);
      await store.batches.release(claim);
    } catch (error) {
      if (error instanceof BatchClaimLost || signal.aborted) await store.batches.release(claim);
      // The claim stays until it passes: what has failed is not repeated immediately.
      else onError(error instanceof Error ? error : new Error(String(error)), batch.id);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Claims batches while there are any, up to the limit. */
  async function dispatch(stopping: AbortSignal): Promise<void> {
    while (running.size < MAX_RUNNING && !stopping.aborted) {
      const claimed = await store.batches.claim(claimSeconds);
      if (claimed === null) return;
      const done = work(claimed, stopping)
        .catch((error: Error) => onError(error, claimed.batch.id))
        .finally(() => {
          running.delete(done);
          woken.resolve(); // the next step of this batch may be due
        });
      running.add(done);
    }
  }

  async function removeOld(): Promise<void> {
    await store.files.removeOverdue();
    await store.batches.removeOld(limits.retentionDays);
  }

  return {
    wake: () => woken.resolve(),
    async settle() {
      const never = new AbortController().signal;
      for (;;) {
        await dispatch(never);
        if (running.size === 0) break;
        await Promise.race(running);
      }
      await removeOld();
    },
    async run(signal) {
      const report = (error: unknown) => {
        // Every request reports an outage too, and the next look comes soon.
        if (!isOutage(error)) onError(error instanceof Error ? error : new Error(String(error)), null);
      };
      let removedAtMs = Number.NEGATIVE_INFINITY;
      while (!signal.aborted) {
        woken = Promise.withResolvers();
        await dispatch(signal).catch(report);
        if (performance.now() - removedAtMs >= REMOVAL_MS) {
          removedAtMs = performance.now();
          await removeOld().catch(report);
        }
        await waitFor(woken.promise, POLL_MS, signal);
      }
      await Promise.all(running);
    },
  };
}

/** Takes a batch one step further. */
function step(store: Store, limits: BatchLimits, claimed: Claimed, signal: AbortSignal): Promise<void> {
  switch (claimed.batch.state) {
    case 'validating':
      return validateBatch(store, limits, claimed, signal);
    case 'in_progress':
      return followJobs(store, claimed);
    default:
      return finalizeBatch(store, limits, claimed, signal);
  }
}

/** Resolves when `event` does, when the time is over, or when `signal` aborts. */
async function waitFor(event: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  await Promise.race([event, over.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}
