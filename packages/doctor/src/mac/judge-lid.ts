import { type Finding, finding } from '../finding.ts';

/**
 * Judges what a closed lid does, from the outputs of `pmset -g` and `pmset -g batt`. Null: this Mac has no lid, or
 * nothing is known.
 */
export function judgeLid(settings: string, battery: string): Finding | null {
  if (!/^ *-InternalBattery/m.test(battery)) return null;
  if (/^\s*SleepDisabled\s+1\s*$/m.test(settings))
    return finding(
      'lid',
      'warn',
      'sleep is disabled: this Mac stays awake with a closed lid, also on battery and in a bag',
      'To let it sleep again: sudo pmset disablesleep 0',
    );
  return finding(
    'lid',
    'info',
    'this Mac sleeps when its lid is closed, whatever runs. The items in flight run again elsewhere',
    'To work with a closed lid, connect mains power and a display.',
  );
}
