import { setTimeout as sleep } from 'node:timers/promises';
import type { Readings } from '../readings/readings.ts';
import { brokenRule, type LocalTime } from '../rules/broken-rule.ts';
import { afterReading, NOT_PAUSED, type RulePause, type RuleState } from '../rules/rule-pause.ts';
import type { Rules } from '../rules/rules.ts';
import type { PauseHere } from './pause-file.ts';

/** Between two readings while the worker works. */
const BUSY_MS = 10_000;
/** The same while it does not: each reading starts a few programs. */
const IDLE_MS = 30_000;
/** Before a second reading that confirms the first. */
const CONFIRM_MS = 2000;
/** A look that comes this much later than planned: the machine has slept, or the process was stopped. */
const SLEPT_MS = 10_000;
/** How long after a sleep it is asked whether the machine is only half awake. */
const WAKING_MS = 5 * 60_000;
/** Between two looks for what a person has said, which is only a file. */
const LOOK_MS = 2000;

export interface RuleWatchOptions {
  /** Null: no rule holds, and only a person can pause the worker. */
  readonly rules: Rules | null;
  /** `isWaking`: the machine has slept lately. */
  readonly read: (isWaking: boolean) => Promise<Readings>;
  readonly readPause: () => Promise<PauseHere | null>;
  readonly localTime: () => LocalTime;
  /** In milliseconds. */
  readonly now: () => number;
  readonly isBusy: () => boolean;
  /** Called when the worker has to pause, may go on, or when the reason has changed. */
  readonly onPause: (pause: RulePause | null) => void;
  /** Called when the machine has slept for so long. */
  readonly onWake?: (sleptMs: number) => void;
  /** Called after each look, every few seconds. */
  readonly onLook?: () => void;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Watches the machine and the person at it, until `stopped` aborts. */
export async function watchRules(options: RuleWatchOptions, stopped: AbortSignal): Promise<void> {
  const pause = options.sleep ?? ((ms, signal) => sleep(ms, undefined, { signal, ref: false }));
  let state: RuleState = NOT_PAUSED;
  let readAt = Number.NEGATIVE_INFINITY;
  let lookedAt = options.now();
  let wokeAt = Number.NEGATIVE_INFINITY;
  while (!stopped.aborted) {
    const lateMs = options.now() - lookedAt - LOOK_MS;
    if (lateMs > SLEPT_MS) {
      wokeAt = options.now();
      readAt = Number.NEGATIVE_INFINITY;
      options.onWake?.(lateMs);
    }
    lookedAt = options.now();
    const isWaking = lookedAt - wokeAt < WAKING_MS;
    const byPerson = await options.readPause();
    const isUnsure = state.lastRule !== (state.pause?.rule ?? null);
    const everyMs = isUnsure ? CONFIRM_MS : options.isBusy() || isWaking ? BUSY_MS : IDLE_MS;
    const wasByPerson = state.pause?.rule === 'paused_here';
    // A clock that was set back does not stop the readings.
    const isDue = options.now() - readAt >= everyMs || options.now() < readAt;
    if (byPerson !== null || wasByPerson || isDue) {
      const isFirst = readAt === Number.NEGATIVE_INFINITY;
      if (byPerson === null) readAt = options.now();
      const reading = await found(options, byPerson, state, isWaking);
      // Nothing is known before the first reading: a worker that starts on battery takes no work.
      const before = isFirst ? afterReading(state, reading, options.now()) : state;
      const next = afterReading(before, reading, options.now());
      if (tells(state.pause, next.pause)) options.onPause(next.pause);
      state = next;
    }
    options.onLook?.();
    await pause(LOOK_MS, stopped).catch(() => undefined);
  }
}

async function found(
  { rules, read, localTime }: RuleWatchOptions,
  byPerson: PauseHere | null,
  state: RuleState,
  isWaking: boolean,
) {
  if (byPerson !== null)
    return { rule: 'paused_here', reason: byPerson.reason ?? 'paused by a person at this Mac' };
  const readings = await read(isWaking);
  return rules === null ? null : brokenRule(readings, rules, localTime(), state.pause?.rule ?? null);
}

const tells = (before: RulePause | null, after: RulePause | null) =>
  before?.rule !== after?.rule || before?.reason !== after?.reason;
