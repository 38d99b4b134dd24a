import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Client } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import { EXIT, Failure } from '@macbatch/terminal';
import { arrivingOutcomes, isOpen, type OutcomeReading } from './arriving-outcomes.ts';
import { DraftFile, noProgress, type Progress } from './draft-file.ts';
import { JoinedInput } from './joined-input.ts';
import { openEncoder } from './open-encoder.ts';
import type { Tokens } from './outcome.ts';
import type { JoinedOutcome, OutcomeEncoder } from './outcome-encoder.ts';
import type { OutputForm } from './output-form.ts';
import type { FileTarget, OutputTarget } from './output-target.ts';

/** Outcomes that are encoded together: one by one is slow. */
const BATCH_OUTCOMES = 500;
const BATCH_CHARACTERS = 1024 * 1024;

/** After so many bytes it is noted how much of a file is valid. */
const SAVE_BYTES = 8 * 1024 * 1024;

/** How often a file is written anew because outcomes changed while they were read. */
const MAX_WRITINGS = 3;

/** The number of outcomes written, by status. */
export interface Written {
  readonly ok: number;
  readonly error: number;
  /** What the model used for all outcomes, the selected and the others. */
  readonly tokens: Tokens;
}

export type OutcomeTarget = OutputTarget | { readonly kind: 'stream'; readonly stream: Writable };

/** What is written, where and when. */
export interface OutcomeWriting {
  readonly jobId: string;
  readonly form: OutputForm;
  readonly target: OutcomeTarget;
  /** Only the outcome of this item. */
  readonly itemId?: string | undefined;
  /** Writes outcomes as they arrive, until the job has ended. Otherwise writes those that there are. */
  readonly follow: boolean;
  /** Pause between two looks for new outcomes. */
  readonly pollMs?: number | undefined;
}

/**
 * Writes the outcomes of a job. A file gets its name when it is complete, and a second call continues an incomplete one.
 * Throws a `Failure` when the disk is full.
 */
export async function writeOutcomes(
  client: Client,
  writing: OutcomeWriting,
  signal: AbortSignal,
): Promise<Written> {
  const { jobId, form, target, itemId, follow, pollMs } = writing;
  const job = await client.call('readJob', { params: { id: jobId } }, { signal });
  // A snapshot of a running job has gaps. A second call could not fill them, so it begins anew.
  const isWhole = itemId === undefined && (follow || !isOpen(job));
  const encoder = await openEncoder(client, job, form, follow ? 'end' : 'now', signal);
  const source: Source = {
    client,
    signal,
    form,
    encoder,
    reading: {
      jobId,
      itemId,
      order: form.order,
      time: isWhole ? 'arrival' : 'now',
      persistent: follow,
      pollMs,
    },
  };
  if (target.kind !== 'file') return await writeStream(target, source);
  for (let n = 1; n <= MAX_WRITINGS; n += 1) {
    const written = await writeFile(target, source, isWhole, n === 1);
    if (written !== null) return written;
  }
  throw new Failure(
    EXIT.unavailable,
    'The outcomes changed again and again while they were written. Run the same command again.',
  );
}

interface Source {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly form: OutputForm;
  readonly encoder: OutcomeEncoder;
  readonly reading: Omit<OutcomeReading, 'read'>;
}

async function writeStream(target: Exclude<OutcomeTarget, FileTarget>, source: Source): Promise<Written> {
  const stream = target.kind === 'special' ? createWriteStream(target.path) : target.stream;
  // The callback of `write` gets the error too.
  if (target.kind === 'special') stream.on('error', () => undefined);
  const progress = noProgress();
  await writeText(stream, source.encoder.head);
  await copyOutcomes(source, progress, (text) => writeText(stream, text));
  if (target.kind === 'special') {
    stream.end();
    await finished(stream);
  }
  return writtenOf(progress, source.form);
}

/** Writes a file. Returns null, without a file, if outcomes that had been read have changed since. */
async function writeFile(
  target: FileTarget,
  source: Source,
  isWhole: boolean,
  mayContinue: boolean,
): Promise<Written | null> {
  const { encoder, form, reading } = source;
  const key = fileKey(reading, form);
  const { draft, progress } = await DraftFile.open(target, key, isWhole && mayContinue);
  let job: JobView;
  try {
    if (draft.isEmpty) await draft.append(encoder.head);
    job = await copyOutcomes(
      source,
      progress,
      (text) => draft.append(text),
      async (pause) => {
        if (pause || draft.unsavedBytes >= SAVE_BYTES) await draft.save(progress);
      },
    );
  } catch (error) {
    await draft.close();
    throw error;
  }
  const { ok, error, failed } = job.items;
  if (isWhole && (progress.ok !== ok || progress.error !== error + failed)) {
    await draft.close();
    return null;
  }
  await draft.finish();
  return writtenOf(progress, form);
}

/** A text that differs for jobs and options whose files differ. */
function fileKey({ jobId }: Pick<OutcomeReading, 'jobId'>, { join, ...form }: OutputForm): string {
  return JSON.stringify({ jobId, ...form, join: join?.files.map(({ path }) => path) ?? null });
}

/** Counts the outcomes that were selected among those that were read. */
function writtenOf({ ok, error, tokens }: Progress, { only }: OutputForm): Written {
  return { ok: only === 'error' ? 0 : ok, error: only === 'ok' ? 0 : error, tokens };
}

/**
 * Reads the outcomes that are not in `progress`, and appends them. Calls `onAppended` whenever all that was read is
 * appended, with true before a pause.
 */
async function copyOutcomes(
  { client, signal, form, encoder, reading }: Source,
  progress: Progress,
  append: (text: string) => Promise<void>,
  onAppended: (pause: boolean) => Promise<void> = async () => undefined,
): Promise<JobView> {
  const joined = form.join === null ? null : new JoinedInput(form.join);
  let batch: JoinedOutcome[] = [];
  let characters = 0;
  const flush = async (pause: boolean) => {
    if (batch.length > 0) await append(encoder.encode(batch));
    batch = [];
    characters = 0;
    await onAppended(pause);
  };
  let job: JobView | undefined;
  try {
    const outcomes = arrivingOutcomes(client, { ...reading, read: progress.read }, signal, (seen) => {
      job = seen;
    });
    for await (const outcome of outcomes) {
      if (outcome === null) {
        await flush(true);
        continue;
      }
      if (form.only === null || outcome.isOk === (form.only === 'ok')) {
        batch.push({ outcome, record: (await joined?.recordOf(outcome.id)) ?? null });
        characters += outcome.text.length;
      }
      if (outcome.seq !== null) progress.read.add(outcome.seq);
      progress[outcome.isOk ? 'ok' : 'error'] += 1;
      progress.tokens = sumOf(progress.tokens, outcome.tokens);
      if (batch.length >= BATCH_OUTCOMES || characters >= BATCH_CHARACTERS) await flush(false);
    }
    await flush(true);
  } catch (error) {
    if (signal.aborted) await flush(true);
    throw error;
  } finally {
    await joined?.close();
  }
  if (job === undefined) throw new TypeError('outcomes are read after the job');
  return job;
}

function sumOf(one: Tokens, other: Tokens): Tokens {
  return { input: one.input + other.input, output: one.output + other.output };
}

async function writeText(stream: Writable, text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}
