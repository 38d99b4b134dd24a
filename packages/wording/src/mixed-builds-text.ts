import type { JobView } from '@macbatch/contract';
import { counted } from './counted.ts';
import { printable } from './printable.ts';

/** How many characters of a digest people see: `sha256:` and twelve digits. */
const DIGEST_LENGTH = 19;

/** Most builds that a warning names. */
const MAX_NAMED_BUILDS = 5;

/** Warns that outcomes of a job come from different builds of its model; null if they do not. */
export function mixedBuildsText({
  mixed_models: isMixed,
  models_used: builds,
  job_type: jobType,
}: Pick<JobView, 'mixed_models' | 'models_used' | 'job_type'>): string | null {
  if (!isMixed) return null;
  const named = builds.slice(0, MAX_NAMED_BUILDS).map(buildText);
  const others = builds.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  const meaning =
    jobType === 'embed'
      ? 'Vectors of different builds are not comparable: search or cluster only those with equal model_digest.'
      : 'Outcomes may not be comparable; model_digest says which build an outcome is from.';
  return `${counted(builds.length, 'build')} of the model ran: ${list}. ${meaning}`;
}

function buildText({ name, digest }: JobView['models_used'][number]): string {
  const build = digest === null ? 'unknown build' : digest.slice(0, DIGEST_LENGTH);
  return printable(`${name} (${build})`);
}
