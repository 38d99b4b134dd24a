import { printLine, stateText, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { connect } from '../options/connection.ts';
import { type Suggestions, suggest } from './suggest.ts';

/** A person waits for the answer at the keyboard. */
const TIMEOUT_MS = 500;
const MAX_JOBS = 50;

/** The codes by which the script of the shell knows whether to complete paths. */
const FILES = 0;
const NO_FILES = 4;

/** Prints what the last word may become, for the script of the shell. Ids come from the control plane, if it answers. */
export async function printSuggestions(
  program: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { words: known, ids, files } = suggest(program, words);
  const typed = words.at(-1) ?? '';
  const all = ids === null ? known : await knownIds(ids, terminal).catch(() => []);
  for (const { word, description } of all)
    if (word.startsWith(typed)) printLine(terminal.stdout, `${word}\t${description}`);
  printLine(terminal.stdout, `:${files ? FILES : NO_FILES}`);
}

async function knownIds(
  ids: NonNullable<Suggestions['ids']>,
  terminal: Terminal,
): Promise<Suggestions['words']> {
  const client = connect({}, terminal);
  const limit = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  if (ids === 'workers') {
    const { workers } = await client.call('listWorkers', {}, limit);
    return workers.map(({ worker_id, state }) => ({ word: worker_id, description: state ?? '' }));
  }
  const { jobs } = await client.call('listJobs', { query: { limit: MAX_JOBS } }, limit);
  return jobs.map((job) => ({
    word: job.id,
    description: `${stateText(job)}, ${job.job_type}, ${job.model}`,
  }));
}
