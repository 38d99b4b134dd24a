import type { JobExplanation } from '@macbatch/contract';
import { EXIT, Failure, printLine, type Terminal, troubleHint } from '@macbatch/terminal';

/** How long a trouble that needs a changed setting has to last before `run` gives up. */
const GIVE_UP_AFTER_SECONDS = 30;

type Waiting = Pick<JobExplanation, 'troubles' | 'waits_for'>;

/**
 * Returns a function that checks what a job waits for. It announces once that `run` will give up, and throws a
 * `Failure` when the trouble has lasted for `GIVE_UP_AFTER_SECONDS`.
 */
export function giveUpOnLastingTrouble(terminal: Pick<Terminal, 'stderr'>): (explanation: Waiting) => void {
  let isAnnounced = false;
  return (explanation) => {
    throwIfLasting(explanation);
    if (isAnnounced || !explanation.troubles.some(({ needs_attention }) => needs_attention)) return;
    isAnnounced = true;
    printLine(terminal.stderr, `this command stops if the trouble lasts for ${GIVE_UP_AFTER_SECONDS} s`);
  };
}

/**
 * Throws a `Failure` when none of the workers can ever run the job: the key is wrong, the quota is exhausted, or the
 * model or the path does not exist. Does not throw for an unreachable server, which may come back.
 */
function throwIfLasting({ troubles, waits_for }: Waiting): void {
  const [trouble] = troubles;
  if (trouble === undefined || waits_for !== 'waiting_for_worker') return;
  const isLasting = troubles.every(
    ({ needs_attention, since_seconds }) => needs_attention && since_seconds >= GIVE_UP_AFTER_SECONDS,
  );
  if (!isLasting) return;
  throw new Failure(
    EXIT.usage,
    `The model server cannot run this job: ${trouble.message}\n${troubleHint(trouble)} Then run the same command again.`,
  );
}
