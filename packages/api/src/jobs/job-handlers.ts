import { routes } from '@macbatch/contract';
import { DEFAULT_SHARD_SIZE, workTypeOf } from '@macbatch/core';
import type { ItemSource, JobDetail, Quota, Store } from '@macbatch/store';
import type { Context } from 'hono';
import { type Caller, sees } from '../auth/caller.ts';
import { invalidField } from '../requests/invalid-field.ts';
import { honoPath, jsonResponse, mount, type Surface } from '../requests/mount.ts';
import { RefusedRequest } from '../requests/refused-request.ts';
import { bodyChunks } from '../requests/request-body.ts';
import { explanationView } from './explanation-view.ts';
import { itemView, listedItem } from './item-view.ts';
import { jobViewText } from './job-view.ts';
import { listJobs } from './list-jobs.ts';
import { resultStream } from './result-stream.ts';
import { readSubmission } from './submission-body.ts';

/** Limits that keep submissions from filling the database. */
interface SubmissionBounds {
  readonly quota: Quota | null;
  readonly hasRoom: () => Promise<boolean>;
}

/** Items between two checks of the free disk space. */
const ITEMS_A_LOOK = 10_000;

/** Mounts the routes that submit, read, cancel and retry jobs. */
export function mountJobs(surface: Surface, bounds: SubmissionBounds): void {
  const { app, store, authenticator } = surface;

  const read = async (id: string, caller: Caller): Promise<JobDetail> => {
    const job = await store.readJob(id);
    if (job === null || !sees(caller, job.owner))
      throw new RefusedRequest('not_found', `The job ${id} does not exist.`);
    return job;
  };

  app.post(honoPath(routes.submitJob.path), async (c) => {
    const caller = await authenticator.admit(c, 'submitJob');
    const endStream = authenticator.stream(caller);
    try {
      const { jobId, created } = await submitJob(c, surface, caller, bounds);
      return jsonResponse(jobViewText(await read(jobId, caller)), created ? 201 : 200);
    } finally {
      endStream();
    }
  });

  mount(surface, 'listJobs', async ({ query }, caller) => {
    await store.reclaim({ force: false });
    return listJobs(store, query, caller);
  });

  mount(surface, 'readJob', async ({ params }, caller) => {
    await store.reclaim({ force: false });
    return jsonResponse(jobViewText(await read(params.id, caller)));
  });

  mount(surface, 'explainJob', async ({ params }, caller) => {
    await store.reclaim({ force: false });
    const job = await read(params.id, caller);
    return explanationView(job, await store.explainJob(job));
  });

  mount(surface, 'cancelJob', async ({ params }, caller) => {
    await read(params.id, caller);
    await store.cancelJob(params.id);
    return jsonResponse(jobViewText(await read(params.id, caller)));
  });

  mount(surface, 'auditJob', async ({ params }, caller) => {
    await read(params.id, caller);
    return store.auditJob(params.id);
  });

  mount(surface, 'retryJob', async ({ params, body }, caller) => {
    const job = await read(params.id, caller);
    if (job.state === 'cancelled')
      throw new RefusedRequest('job_cancelled', 'A cancelled job cannot be retried. Submit it again.');
    return store.retryJob(params.id, { items: body.items ?? false, failure: body.failure });
  });

  mount(surface, 'listFailures', async ({ params }, caller) => {
    const { groups, others } = await store.groupFailures(await read(params.id, caller));
    return {
      groups: groups.map(({ exampleId, ...group }) => ({ ...group, example_id: exampleId })),
      others,
    };
  });

  mount(surface, 'listItems', async ({ params, query: { q, ...query } }, caller) => {
    const job = await read(params.id, caller);
    const { items, next } = await store.listItems(job, { ...query, prefix: q });
    return { items: items.map(listedItem), next };
  });

  mount(surface, 'readItem', async ({ params, query: { item_id: itemId, seq } }, caller) => {
    const job = await read(params.id, caller);
    const item = await store.readItem(job.id, itemId === undefined ? { seq: seq ?? 0 } : { itemId });
    if (item === null)
      throw new RefusedRequest('not_found', `The job ${job.id} has no such item.`, {
        field: itemId === undefined ? 'seq' : 'item_id',
      });
    return itemView(item);
  });

  mount(surface, 'countKnownKeys', async ({ body }, caller) => ({
    known: await store.countKnownKeys(caller.owner, body.keys),
  }));

  app.get(honoPath(routes.readResults.path), async (c) => {
    const caller = await authenticator.admit(c, 'readResults');
    const { params, query } = routes.readResults.request;
    const path = params.safeParse(c.req.param());
    if (!path.success) throw invalidField(path.error);
    const wanted = query.safeParse(c.req.query());
    if (!wanted.success) throw invalidField(wanted.error);
    const job = await read(path.data.id, caller);
    const { item_id: itemId, status, after, until_open: untilOpen } = wanted.data;
    const pages =
      itemId === undefined
        ? store.results(job.id, {
            itemCount: job.items.total,
            after: after ?? -1,
            untilOpen: untilOpen === 'true',
          })
        : oneResult(store, job.id, itemId);
    const form = { status, withSeq: after !== undefined };
    const stream = resultStream(pages, form, authenticator.stream(caller));
    return new Response(stream, { headers: { 'content-type': 'application/x-ndjson' } });
  });
}

async function* oneResult(store: Store, jobId: string, itemId: string) {
  const result = await store.resultOf(jobId, itemId);
  if (result !== null) yield [result];
}

async function submitJob(
  c: Context,
  { store, limits }: Surface,
  caller: Caller,
  { quota, hasRoom }: SubmissionBounds,
): Promise<{ readonly jobId: string; readonly created: boolean }> {
  const headers = routes.submitJob.request.headers.safeParse({
    'idempotency-key': c.req.header('idempotency-key'),
  });
  if (!headers.success) throw invalidField(headers.error, 'header');
  const body = await readSubmission(c.req.header('content-type'), bodyChunks(c, limits), limits);
  const reply = await store.submit(
    {
      owner: caller.owner,
      ...(quota === null || caller.keyId === null ? {} : { quota }),
      name: body.header.name ?? null,
      submittedBy: caller.keyName,
      jobType: workTypeOf(body.header.job_type, body.header.params ?? {}),
      model: body.header.model,
      params: body.params,
      shardSize: body.header.shard_size ?? DEFAULT_SHARD_SIZE,
      retryOn: body.header.retry_on ?? 'attempts',
      priority: body.header.priority ?? 0,
      idempotencyKey: headers.data['idempotency-key'] ?? null,
      // Outputs of no-ops are not worth reusing, unless the submission asks for it.
      reuse: (body.header.reuse ?? (body.header.job_type === 'noop' ? 'none' : 'ledger')) === 'ledger',
    },
    whileRoom(body.items, hasRoom),
    body.digest,
  );
  switch (reply.outcome) {
    case 'created':
      return { jobId: reply.jobId, created: true };
    case 'existing':
      return { jobId: reply.jobId, created: false };
    case 'key_reused':
      throw new RefusedRequest(
        'idempotency_key_reused',
        `This idempotency key belongs to job ${reply.jobId} with another body. Send the same body or another key.`,
      );
    case 'over_quota':
      throw new RefusedRequest(
        'quota_exceeded',
        `With this job, the unfinished jobs of your group would exceed ${reply.quota.items} items or ${reply.quota.payloadBytes} bytes of payloads. Wait until some have ended.`,
        {},
        60,
      );
    case 'no_items':
      throw new RefusedRequest('no_items', 'A job needs at least one item.', { field: 'items' });
    case 'duplicate_item_id': {
      const first = body.placeOf(reply.first);
      const { text, ...place } = body.placeOf(reply.second);
      throw new RefusedRequest(
        'duplicate_item_id',
        `The item id ${JSON.stringify(reply.itemId)} is used twice: ${first.text} and ${text}.`,
        { ...place, item_id: reply.itemId },
      );
    }
  }
}

/** Yields the items while the database has free disk space. */
async function* whileRoom(items: ItemSource, hasRoom: () => Promise<boolean>): ItemSource {
  let passed = 0;
  let nextLook = 0;
  for await (const batch of items) {
    if (passed >= nextLook) {
      if (!(await hasRoom()))
        throw new RefusedRequest(
          'database_full',
          'The disk of the database is nearly full. The request was not stored. Free some disk space, then send it again.',
        );
      nextLook = passed + ITEMS_A_LOOK;
    }
    passed += Array.isArray(batch) ? batch.length : 1;
    yield batch;
  }
}
