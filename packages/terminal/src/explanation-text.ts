import type { JobExplanation, TroubleView } from '@macbatch/contract';
import {
  counted,
  duration,
  grouped,
  noEstimateText,
  printable,
  rate,
  silentHoldersText,
  stateText,
  troubleText,
  waitText,
} from '@macbatch/wording';
import { clockRange, clockTime } from './clock-time.ts';

/** Says in sentences what a job waits for and when it should end. */
export function explanationText(explanation: JobExplanation): string {
  return [
    progress(explanation),
    waitText(explanation),
    paused(explanation),
    ...troubles(explanation),
    silentHoldersText(explanation),
    expectedEnd(explanation),
    rates(explanation),
  ]
    .filter((sentence) => sentence !== null)
    .map(printable)
    .join('\n');
}

/** Formats the range of a job's expected end, or returns null if there is no estimate. */
export function endsText({ at, estimate }: JobExplanation): string | null {
  if (estimate === null) return null;
  return `ends ${clockRange(new Date(estimate.low_at), new Date(estimate.high_at), new Date(at))}`;
}

function progress({ job }: JobExplanation): string {
  const { ok, error, failed, open, total } = job.items;
  const bad = error + failed > 0 ? `, ${grouped(error + failed)} of them with an error` : '';
  const left = open > 0 ? `; ${grouped(open)} are left` : '';
  return `Job ${job.id} is ${stateText(job)}: ${grouped(ok + error + failed)} of ${counted(total, 'item')} have ended${bad}${left}.`;
}

function paused({ paused_workers: pausedWorkers, job }: JobExplanation): string | null {
  if (pausedWorkers === 0) return null;
  return `${counted(pausedWorkers, 'worker')} that ${pausedWorkers === 1 ? 'offers' : 'offer'} ${job.job_type} with ${job.model} ${pausedWorkers === 1 ? 'is' : 'are'} paused: macbatch workers says by whom, and macbatch worker resume NAME ends a pause.`;
}

/** One sentence for each trouble, with the workers that have it. */
function troubles({ troubles: all }: JobExplanation): readonly string[] {
  const byText = new Map<string, { readonly trouble: TroubleView; readonly workers: readonly string[] }>();
  for (const { worker_id, ...trouble } of all) {
    const key = `${trouble.endpoint} ${trouble.code} ${trouble.message}`;
    const known = byText.get(key);
    byText.set(key, {
      trouble: known?.trouble ?? trouble,
      workers: [...(known?.workers ?? []), worker_id],
    });
  }
  return [...byText.values()].map(({ trouble, workers }) => `${workers.join(', ')}: ${troubleText(trouble)}`);
}

function expectedEnd({ at, estimate, no_estimate: reason }: JobExplanation): string | null {
  if (estimate !== null) {
    const now = new Date(at);
    const range = clockRange(new Date(estimate.low_at), new Date(estimate.high_at), now);
    return `It should end at about ${clockTime(new Date(estimate.likely_at), now)}, in ${duration(estimate.likely_seconds)}; the range is ${range}, ${duration(estimate.low_seconds)} to ${duration(estimate.high_seconds)}.`;
  }
  return noEstimateText(reason);
}

function rates({ pace, estimate, workers }: JobExplanation): string | null {
  if (estimate === null || workers === 0) return null;
  const able = `${counted(workers, 'worker')} can run it`;
  const reported = pace.told > 0 ? `, ${rate(pace.told)} items/s together` : '';
  const measured =
    pace.measured > 0 ? ` In the last minutes its rate was ${rate(pace.measured)} items/s.` : '';
  return `${able}${reported}.${measured}`;
}
