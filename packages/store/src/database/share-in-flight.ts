/** Returns a function that runs `read`. Calls during a run share that run. */
export function shareInFlight(read: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= read().finally(() => {
      running = null;
    });
    return running;
  };
}
