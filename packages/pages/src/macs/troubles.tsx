import type { TroubleView } from '@macbatch/contract';
import { duration, troubleHint } from '@macbatch/wording';
import { ExactText } from '../exact-text.tsx';

/** What model servers cannot run now: their words, since when, and what a person can do. */
export function Troubles({
  troubles,
}: {
  readonly troubles: readonly (TroubleView & { worker_id?: string })[];
}) {
  if (troubles.length === 0) return null;
  return (
    <ul class="troubles" aria-label="Troubles of model servers">
      {troubles.map((trouble) => (
        <li class="attention">
          {trouble.worker_id !== undefined && (
            <>
              <a href={`/macs/${encodeURIComponent(trouble.worker_id)}`}>
                <ExactText text={trouble.worker_id} />
              </a>
              {': '}
            </>
          )}
          the model server {trouble.needs_attention ? 'cannot run' : 'does not run'} {trouble.job_type} with{' '}
          <ExactText text={trouble.model} /> (<ExactText text={trouble.endpoint} />
          ), for {duration(Math.floor(trouble.since_seconds))}:{' '}
          <strong>
            <ExactText text={trouble.message} />
          </strong>{' '}
          {troubleHint(trouble)}
        </li>
      ))}
    </ul>
  );
}
