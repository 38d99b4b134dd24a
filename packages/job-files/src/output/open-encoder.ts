import type { Client } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import { EXIT, Failure } from '@macbatch/terminal';
import { arrivingOutcomes } from './arriving-outcomes.ts';
import { flattenOutput } from './flatten-output.ts';
import { joinedColumns } from './joined-input.ts';
import { jsonlEncoder } from './jsonl-encoder.ts';
import { memberTexts } from './outcome.ts';
import type { OutcomeEncoder } from './outcome-encoder.ts';
import type { OutputForm } from './output-form.ts';
import { SeqRanges } from './seq-ranges.ts';
import { tableEncoder } from './table-encoder.ts';

/** More columns are better written as JSON lines. */
const MAX_COLUMNS = 1000;

/**
 * Makes the encoder of an output. The columns of spread outputs are known only after all outcomes have been read once:
 * those that there are `now`, or all at the `end` of the job.
 */
export async function openEncoder(
  client: Client,
  job: Pick<JobView, 'id' | 'job_type'>,
  form: OutputForm,
  time: 'now' | 'end',
  signal: AbortSignal,
): Promise<OutcomeEncoder> {
  if (form.format === 'jsonl') return jsonlEncoder(form);
  const joined = form.join === null ? null : await joinedColumns(form.join);
  return tableEncoder({
    delimiter: form.format === 'tsv' ? '\t' : ',',
    excel: form.excel,
    jobType: job.job_type,
    inputColumns: joined?.names ?? null,
    addsId: joined?.haveIds !== true,
    outputColumns: form.flatten ? await outputColumns(client, job.id, time, signal) : null,
  });
}

async function outputColumns(
  client: Client,
  jobId: string,
  time: 'now' | 'end',
  signal: AbortSignal,
): Promise<string[]> {
  const names = new Set<string>();
  const reading = { jobId, order: 'input', time, persistent: time === 'end', read: new SeqRanges() } as const;
  for await (const outcome of arrivingOutcomes(client, reading, signal)) {
    const output = outcome === null ? undefined : memberTexts(outcome.text).get('output');
    for (const [name] of output === undefined ? [] : flattenOutput(output)) names.add(name);
    if (names.size > MAX_COLUMNS)
      throw new Failure(
        EXIT.usage,
        `The outputs have more than ${MAX_COLUMNS} different members. Write JSON lines: -o NAME.jsonl`,
      );
  }
  return [...names];
}
