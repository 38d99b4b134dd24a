/** A Mac that can be switched on and off, with whatever worker runs on it. */
export interface Machine {
  /** Starts a worker. */
  on(): Promise<void>;
  /** As kill -9, or a lid that closes for good: nothing more is said. Resolves when nothing of it runs. */
  off(): Promise<void>;
}
