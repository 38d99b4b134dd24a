import type { Store } from '@macbatch/store';

/** How long a waiting lease trusts that it will be woken before it looks by itself. */
const LOOK_AGAIN_MS = 5000;

/**
 * Waits until there may be work, `ms` have passed or the caller has gone. Also ends when the next lease
 * can expire, so that a pool of workers that only wait still takes expired tasks back.
 */
export async function waitForWork(store: Store, ms: number, gone: AbortSignal): Promise<void> {
  const wait = Math.max(1, Math.min(ms, LOOK_AGAIN_MS, store.quietForMs()));
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unsubscribe();
      gone.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, wait);
    const unsubscribe = store.subscribe(end);
    gone.addEventListener('abort', end);
  });
}
