import type { BrokenRule } from './broken-rule.ts';

/** Why a worker pauses by itself. */
export interface RulePause {
  /** The name of the rule, or `paused_here` if a person at the machine paused it. */
  readonly rule: string;
  readonly reason: string;
  /** When it began, in milliseconds on the clock of the caller. */
  readonly since: number;
}

/** What is remembered between two readings. */
export interface RuleState {
  readonly pause: RulePause | null;
  /** The rule that the last reading found broken. */
  readonly lastRule: string | null;
  /** Since when no reading found the rule of the pause broken; null while it is. */
  readonly calmSince: number | null;
}

export const NOT_PAUSED: RuleState = { pause: null, lastRule: null, calmSince: null };

/** Rules whose answer never wavers: the clock, and what a person has said. */
const CERTAIN: ReadonlySet<string> = new Set(['hours', 'days', 'paused_here']);

/** How long nothing may be too hot before work goes on. */
const COOL_MS = 120_000;

/**
 * Takes in what one reading found. A pause begins and ends only when two readings in a row agree, because a single one
 * may be wrong; a machine that was too hot must stay cool for two minutes.
 */
export function afterReading(
  state: RuleState,
  found: (Omit<BrokenRule, 'rule'> & { rule: string }) | null,
  now: number,
): RuleState {
  const lastRule = found?.rule ?? null;
  const { pause } = state;
  if (found !== null) {
    const isConfirmed =
      CERTAIN.has(found.rule) || state.lastRule === found.rule || pause?.rule === found.rule;
    if (!isConfirmed) return { ...state, lastRule };
    const since = pause?.rule === found.rule ? pause.since : now;
    return { pause: { ...found, since }, lastRule, calmSince: null };
  }
  if (pause === null) return { ...NOT_PAUSED, lastRule };
  const calmSince = state.calmSince ?? now;
  // A clock that was set back does not make the pause longer.
  const calmMs = now < calmSince ? COOL_MS : now - calmSince;
  const isOver =
    CERTAIN.has(pause.rule) || (pause.rule === 'max_heat' ? calmMs >= COOL_MS : state.calmSince !== null);
  return isOver ? { ...NOT_PAUSED, lastRule } : { pause, lastRule, calmSince };
}
