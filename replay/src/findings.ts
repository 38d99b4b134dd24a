import type { Measured } from './measured.ts';
import { MOST_LOADS, SLOWEST_SMALL_JOB } from './targets.ts';

/** Median wait for a reply, in seconds by the fast clock, from which on figures tell of the machine. */
const SLOW_REPLY = 0.75;
/** The same for the lateness of timers. */
const LATE_TIMER = 0.5;

/** What else is worth knowing of a run, in words. */
export function findings(run: Measured): string[] {
  const { lateness, roundTrip, estimateError } = run;
  return [
    ...ofScenario(run),
    ...(estimateError == null
      ? []
      : [
          `estimates of the first job's rest off by ${estimateError.medianPercent.toFixed(0)} % in the median, ${estimateError.inRange} of ${estimateError.estimates} ranges held its end`,
        ]),
    `clocks x ${run.factor}`,
    `${run.leasesExpired} leases expired`,
    `slots idle ${(100 * run.idle).toFixed(1)} %`,
    `replies ${roundTrip.median.toFixed(2)} / ${roundTrip.p99.toFixed(2)} s`,
    `timers late ${lateness.median.toFixed(2)} / ${lateness.p99.toFixed(2)} s`,
    ...(roundTrip.median > SLOW_REPLY || lateness.median > LATE_TIMER
      ? ['TOO SLOW A MACHINE for this factor']
      : []),
  ];
}

function ofScenario({ scenario, jobs, loads, crashes, badItemRuns, noticedAfter }: Measured): string[] {
  switch (scenario) {
    case 'twojobs': {
      const [large, small] = jobs;
      if (large === undefined || small === undefined) return [];
      const times = ({ seconds, alone }: typeof small) => (seconds / alone).toFixed(2);
      return [
        `small job ${Math.round(small.seconds)} s, ${times(small)} x its time alone (target ${SLOWEST_SMALL_JOB}), large one ${times(large)} x`,
      ];
    }
    case 'twomodels':
      return [`${loads.length} model loads (target ${MOST_LOADS})`];
    case 'poisonerr':
    case 'smoke':
      return [`runs of each bad item: ${badItemRuns.join(', ')}`];
    case 'poisoncrash':
      return [`${crashes} crashes; runs of each bad item: ${badItemRuns.join(', ')}`];
    case 'dead':
      return [
        noticedAfter === null
          ? 'the dead Mac held no lease'
          : `the dead Mac was noticed after ${Math.round(noticedAfter)} s`,
      ];
    default:
      return [];
  }
}
