/** A Mac with a worker that can be switched on and off. */
export interface Machine {
  /** Starts a worker. */
  on(): Promise<void>;
  /** Kills the worker without a goodbye, like kill -9. Resolves when nothing of it runs any more. */
  off(): Promise<void>;
}
