import type { WorkerView } from '@macbatch/contract';
import { ExactText } from '../exact-text.tsx';
import { type Clock, Exactly } from '../times.tsx';

/** Says by whom, since when, until when and why a Mac is paused. */
export function PauseText({
  pause,
  clock,
}: {
  readonly pause: NonNullable<WorkerView['pause']>;
  readonly clock: Clock;
}) {
  return (
    <>
      paused
      {pause.by !== null && (
        <>
          {' '}
          by <ExactText text={pause.by} />
        </>
      )}{' '}
      since <Exactly at={pause.since} clock={clock} />
      {pause.until !== null && (
        <>
          {' '}
          until <Exactly at={pause.until} clock={clock} />
        </>
      )}
      {pause.reason !== null && (
        <>
          : <ExactText text={pause.reason} />
        </>
      )}
      {pause.drain && ' (hands back what it has not started)'}
    </>
  );
}
