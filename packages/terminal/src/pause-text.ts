import type { Pause } from '@macbatch/contract';
import { printable } from '@macbatch/wording';
import { clockTime } from './clock-time.ts';

/** Says that a worker is paused, by whom, since when, until when and why. */
export function pauseText({ since, until, reason, by, drain }: Pause, now: Date): string {
  return printable(
    [
      'paused',
      by === null ? '' : ` by ${by}`,
      ` since ${clockTime(new Date(since), now)}`,
      until === null ? '' : ` until ${clockTime(new Date(until), now)}`,
      reason === null ? '' : `: ${reason}`,
      drain ? ' (hands back what it has not started)' : '',
    ].join(''),
  );
}
