import { Client } from '@macbatch/client';
import { messageOf } from '@macbatch/core';
import { expect, it } from 'vitest';
import { completeJobId } from './job-id.ts';

const IDS = [
  '01a22849-568c-7422-8464-443b29d20bb5',
  '01a22849-568c-7422-8464-443b29d20bb6',
  '01a22850-0000-7422-8464-0000000000ab',
];

/** A client of a control plane that lists one job a page. */
const client = new Client({
  baseUrl: 'http://pool',
  fetch: (url) => {
    const before = new URL(url).searchParams.get('before');
    const at = before === null ? 0 : IDS.indexOf(before) + 1;
    const job = {
      ...{
        id: IDS[at],
        state: 'done',
        job_type: 'noop',
        model: 'noop',
        shard_size: 1,
        priority: 0,
        retry_on: 'errors',
      },
      ...{ created_at: '2026-01-01T00:00:00Z', finished_at: null, cancelled_at: null, smaller_tasks: 0 },
      items: { total: 0, ok: 0, error: 0, failed: 0, reused: 0, repeated: 0, open: 0 },
      tasks: { total: 0, pending: 0, leased: 0, done: 0, failed: 0 },
      ...{ max_task_bytes: 1, max_lease_bytes: 1, leases_granted: 0, lease_expired_events: 0 },
    };
    return Response.json({ jobs: [job], next: at + 1 < IDS.length ? IDS[at] : null });
  },
});

async function completed(text: string): Promise<string> {
  try {
    return await completeJobId(client, text);
  } catch (error) {
    return messageOf(error);
  }
}

it.each([
  [
    'a whole id, without a request',
    '01a22849-568c-7422-8464-443b29d20bff',
    '01a22849-568c-7422-8464-443b29d20bff',
  ],
  ['a beginning', '01a22850', IDS[2]],
  ['an end, in upper case', '0BB6', IDS[1]],
])('completes %s', async (_what, text, id) => {
  expect(await completed(text)).toBe(id);
});

it.each([
  [
    'matches several jobs',
    '01a22849',
    /^The ids of 2 jobs begin or end with 01a22849: 01a22849.*bb5, 01a22849.*bb6$/,
  ],
  ['matches none', 'ffff', /^None of the 1000 newest jobs has an id that begins or ends with ffff/],
  [
    'is too short',
    '01a',
    /^"01a" is not a job id\. Give the id that submit printed, or at least 4 characters/,
  ],
  ['is no id', 'items.jsonl', /^"items.jsonl" is not a job id/],
])('refuses text that %s', async (_what, text, message) => {
  expect(await completed(text)).toMatch(message);
});
