import type { Measured } from './measured.ts';
import { MOST_LOADS, SLOWEST_SMALL_JOB } from './targets.ts';

/** A longer median reply time, in fast seconds, means that the machine is too slow for the factor. */
const SLOW_REPLY_SECONDS = 0.75;
/** The same for the median delay of timers. */
const LATE_TIMER_SECONDS = 0.5;

/** Describes other results of a run in words. */
export function findings(run: Measured): string[] {
  const { lateness, roundTrip, estimateError } = run;
  return [
    ...scenarioFindings(run),
    ...(estimateError == null
      ? []
      : [
          `median error of the first job's estimates ${estimateError.medianPercent.toFixed(0)} %, ${estimateError.inRange} of ${estimateError.estimates} ranges contain its end`,
        ]),
    `clocks x ${run.factor}`,
    `${run.leasesExpired} leases expired`,
    `slots idle ${(100 * run.idle).toFixed(1)} %`,
    `replies ${roundTrip.median.toFixed(2)} / ${roundTrip.p99.toFixed(2)} s`,
    `timers late ${lateness.median.toFixed(2)} / ${lateness.p99.toFixed(2)} s`,
    ...(roundTrip.median > SLOW_REPLY_SECONDS || lateness.median > LATE_TIMER_SECONDS
      ? ['MACHINE TOO SLOW for this factor']
      : []),
  ];
}

function scenarioFindings({ scenario, jobs, loads, crashes, badItemRuns, noticedAfter }: Measured): string[] {
  switch (scenario) {
    case 'twojobs': {
      const [large, small] = jobs;
      if (large === undefined || small === undefined) return [];
      const times = ({ seconds, alone }: typeof small) => (seconds / alone).toFixed(2);
      return [
        `small job ${Math.round(small.seconds)} s, ${times(small)} x its time alone (target ${SLOWEST_SMALL_JOB}), large job ${times(large)} x`,
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
