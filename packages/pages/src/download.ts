import { outcomeCsv } from '@macbatch/job-files';
import type { Context } from 'hono';
import type { PageContext } from './page-context.ts';
import { pathParam } from './path-param.ts';

/** Streams the outcomes of a job as a file: JSON lines as the API has them, or CSV. */
export async function download({ client }: PageContext, c: Context): Promise<Response> {
  const id = pathParam(c.req.param(), 'id');
  const isCsv = c.req.path.endsWith('.csv');
  const status = c.req.query('status') === 'error' ? 'error' : undefined;
  // Before the reply begins, so that an unknown job is a page that says so.
  const { job_type } = await client.call('readJob', { params: { id } });
  const lines = client.results(id, status === undefined ? {} : { status }, { signal: c.req.raw.signal });
  const encoder = new TextEncoder();
  const bytes = async function* () {
    for await (const part of isCsv ? outcomeCsv(lines, job_type) : withLineEnds(lines))
      yield encoder.encode(part);
  };
  const suffix = status === undefined ? '' : '-errors';
  return c.body(ReadableStream.from(bytes()), 200, {
    'content-type': isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    'content-disposition': `attachment; filename="${id.replaceAll(/[^\w-]/g, '')}${suffix}.${isCsv ? 'csv' : 'jsonl'}"`,
  });
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
