/** Why the worker pauses by itself: its machine is needed for something else, or a person at it said so. */
export interface OwnPause {
  /** The name of a rule, such as `on_battery`. */
  readonly rule: string;
  /** For people. */
  readonly reason: string;
}

/** A pause that has begun. */
export interface StandingPause extends OwnPause {
  readonly since: number;
  /** Items that still run then are handed back; null once that is done. */
  readonly abortAt: number | null;
}
