import { routes } from '@macbatch/contract';
import { DEFAULT_SHARD_SIZE } from '@macbatch/core';
import type { JobDetail, Store } from '@macbatch/store';
import type { Context, Hono } from 'hono';
import { invalidField } from './invalid-field.ts';
import { jobSummary, jobViewText } from './job-view.ts';
import { honoPath, jsonResponse, mount } from './mount.ts';
import { Refusal } from './refusal.ts';
import { bodyChunks } from './request-body.ts';
import { resultStream } from './result-stream.ts';
import { type BodyLimits, readSubmission } from './submission-body.ts';

/** Submitting, reading and steering jobs. */
export function mountJobs(app: Hono, store: Store, limits: BodyLimits): void {
  const read = async (id: string): Promise<JobDetail> => {
    const job = await store.readJob(id);
    if (job === null) throw new Refusal('not_found', `There is no job ${id}.`);
    return job;
  };

  app.post(honoPath(routes.submitJob.path), (c) => submitJob(c, store, limits, read));

  mount(app, 'listJobs', limits, async ({ query }) => {
    await store.reclaim({ force: false });
    const jobs = await store.listJobs({ before: query.before ?? null, limit: query.limit });
    return {
      jobs: jobs.map(jobSummary),
      next: jobs.length === query.limit ? (jobs.at(-1)?.id ?? null) : null,
    };
  });

  mount(app, 'readJob', limits, async ({ params }) => {
    await store.reclaim({ force: false });
    return jsonResponse(jobViewText(await read(params.id)));
  });

  mount(app, 'cancelJob', limits, async ({ params }) => {
    await read(params.id);
    await store.cancelJob(params.id);
    return jsonResponse(jobViewText(await read(params.id)));
  });

  mount(app, 'auditJob', limits, async ({ params }) => {
    await read(params.id);
    return store.auditJob(params.id);
  });

  mount(app, 'retryJob', limits, async ({ params, body }) => {
    const job = await read(params.id);
    if (job.state === 'cancelled')
      throw new Refusal('job_cancelled', 'A cancelled job is not run again; submit it anew.');
    return store.retryJob(params.id, { items: body.items ?? false });
  });

  app.get(honoPath(routes.readResults.path), async (c) => {
    const { params, query } = routes.readResults.request;
    const path = params.safeParse(c.req.param());
    if (!path.success) throw invalidField(path.error);
    const wanted = query.safeParse(c.req.query());
    if (!wanted.success) throw invalidField(wanted.error);
    const job = await read(path.data.id);
    const { item_id: itemId, status } = wanted.data;
    const pages =
      itemId === undefined ? store.results(job.id, job.items.total) : oneResult(store, job.id, itemId);
    return new Response(resultStream(pages, status), { headers: { 'content-type': 'application/x-ndjson' } });
  });
}

async function* oneResult(store: Store, jobId: string, itemId: string) {
  const result = await store.resultOf(jobId, itemId);
  if (result !== null) yield [result];
}

async function submitJob(
  c: Context,
  store: Store,
  limits: BodyLimits,
  read: (id: string) => Promise<JobDetail>,
): Promise<Response> {
  const headers = routes.submitJob.request.headers.safeParse({
    'idempotency-key': c.req.header('idempotency-key'),
  });
  if (!headers.success) throw invalidField(headers.error, 'header');
  const body = await readSubmission(c.req.header('content-type'), bodyChunks(c), limits);
  const reply = await store.submit(
    {
      jobType: body.header.job_type,
      model: body.header.model,
      params: body.params,
      shardSize: body.header.shard_size ?? DEFAULT_SHARD_SIZE,
      retryOn: body.header.retry_on ?? 'attempts',
      idempotencyKey: headers.data['idempotency-key'] ?? null,
      // A no-op has nothing that is worth keeping, unless it is asked for.
      reuse: (body.header.reuse ?? (body.header.job_type === 'noop' ? 'none' : 'ledger')) === 'ledger',
    },
    body.items,
    body.digest,
  );
  switch (reply.outcome) {
    case 'created':
      return jsonResponse(jobViewText(await read(reply.jobId)), 201);
    case 'existing':
      return jsonResponse(jobViewText(await read(reply.jobId)));
    case 'key_reused':
      throw new Refusal(
        'idempotency_key_reused',
        `This idempotency key has made job ${reply.jobId} from another body. Send the same body, or another key.`,
      );
    case 'no_items':
      throw new Refusal('no_items', 'A job needs at least one item.', { field: 'items' });
    case 'duplicate_item_id': {
      const first = body.placeOf(reply.first);
      const { text, ...place } = body.placeOf(reply.second);
      throw new Refusal(
        'duplicate_item_id',
        `The item id ${JSON.stringify(reply.itemId)} is used twice: ${first.text} and ${text}.`,
        { ...place, item_id: reply.itemId },
      );
    }
  }
}
