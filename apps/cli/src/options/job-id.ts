import type { Client } from '@macbatch/client';
import { EXIT, Failure } from '@macbatch/terminal';

const FULL_LENGTH = 36;
/** The ids of jobs of the same minute have the same first eight digits. Their last digits are random. */
const SHORTEST = 4;
/** How many of the newest jobs a short id can name. */
const SEARCHED_JOBS = 1000;
const PAGE_JOBS = 200;

/**
 * Completes a shortened job id: its beginning or its end. Throws a `Failure` if no recent job, or more than one,
 * matches.
 */
export async function completeJobId(client: Client, text: string): Promise<string> {
  const part = text.toLowerCase();
  if (!/^[0-9a-f-]+$/.test(part) || part.length < SHORTEST || part.length > FULL_LENGTH)
    throw new Failure(
      EXIT.usage,
      `"${text}" is not a job id. Give the id that submit printed, or at least ${SHORTEST} characters of its beginning or end; macbatch jobs lists the ids.`,
    );
  if (part.length === FULL_LENGTH) return part;
  const found = (await recentJobIds(client)).filter((id) => id.startsWith(part) || id.endsWith(part));
  const [id, ...others] = found;
  if (id === undefined)
    throw new Failure(
      EXIT.usage,
      `None of the ${SEARCHED_JOBS} newest jobs has an id that begins or ends with ${text}.`,
    );
  if (others.length > 0)
    throw new Failure(
      EXIT.usage,
      `The ids of ${found.length} jobs begin or end with ${text}: ${found.slice(0, 5).join(', ')}`,
    );
  return id;
}

async function recentJobIds(client: Client): Promise<readonly string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  while (ids.length < SEARCHED_JOBS) {
    const { jobs, next } = await client.call('listJobs', {
      query: { limit: PAGE_JOBS, ...(before === undefined ? {} : { before }) },
    });
    ids.push(...jobs.map((job) => job.id));
    if (next === null) break;
    before = next;
  }
  return ids;
}
