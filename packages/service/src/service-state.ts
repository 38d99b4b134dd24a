/** What launchd or systemd says about the service. Null: it does not say. */
export interface ServiceState {
  /** The manager knows the service. */
  readonly loaded: boolean;
  /** It has a process now. */
  readonly running: boolean;
  readonly pid: number | null;
  /** Number of starts since it was loaded. */
  readonly starts: number | null;
  /** Exit code of the last process. */
  readonly exitCode: number | null;
  /** Number of the signal that ended the last process. */
  readonly signal: number | null;
  /** The manager waits before it starts the service again, or has given up. */
  readonly restarting: boolean;
  readonly gaveUp: boolean;
  /** A person switched it off, and it stays off at the next login. */
  readonly switchedOff: boolean;
}

export const NOT_LOADED: ServiceState = {
  loaded: false,
  running: false,
  pid: null,
  starts: null,
  exitCode: null,
  signal: null,
  restarting: false,
  gaveUp: false,
  switchedOff: false,
};
