import type { JobExplanation } from '@macbatch/contract';
import { EXIT, Failure, printLine, type Terminal, troubleHint } from '@macbatch/terminal';

/** How long a trouble that no waiting ends has to last before `run` gives up. */
const PATIENCE_SECONDS = 30;

type Waiting = Pick<JobExplanation, 'troubles' | 'waits_for'>;

/** Watches what a job waits for: says once that `run` will give up, and throws a `Failure` when it does. */
export function giveUpWhenHopeless(terminal: Pick<Terminal, 'stderr'>): (explanation: Waiting) => void {
  let isSaid = false;
  return (explanation) => {
    stopIfHopeless(explanation);
    if (isSaid || !explanation.troubles.some(({ needs_attention }) => needs_attention)) return;
    isSaid = true;
    printLine(terminal.stderr, `this command stops when that has lasted for ${PATIENCE_SECONDS} s`);
  };
}

/**
 * Throws a `Failure` when none of the workers can ever run the job: the key is wrong, the quota is exhausted, or the
 * model or the path does not exist. A server that is not reachable may come back.
 */
function stopIfHopeless({ troubles, waits_for }: Waiting): void {
  const [trouble] = troubles;
  if (trouble === undefined || waits_for !== 'waiting_for_worker') return;
  const isHopeless = troubles.every(
    ({ needs_attention, since_seconds }) => needs_attention && since_seconds >= PATIENCE_SECONDS,
  );
  if (!isHopeless) return;
  throw new Failure(
    EXIT.usage,
    `The model server cannot run this job: ${trouble.message}\n${troubleHint(trouble)} Then run the same command again.`,
  );
}
