import { counted, grouped } from '@macbatch/wording';
import type { Action } from './action.ts';

const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 30;

/** The days that the reader chose, in the query or in the form. */
const daysIn = (text: string | null | undefined) => {
  const days = Number(text ?? DEFAULT_DAYS);
  return Number.isFinite(days) && days > 0 ? days : DEFAULT_DAYS;
};

/** Deletes jobs that ended long ago, after a count of what would go. */
export const pruneJobs: Action = {
  confirm: async ({ client, url }) => {
    const days = daysIn(url.searchParams.get('days'));
    const { left } = await client.call('prune', {
      body: { older_than_seconds: days * DAY_SECONDS, dry_run: true },
    });
    return {
      title: `Delete jobs that ended more than ${days} days ago?`,
      body: (
        <>
          <p>
            {counted(left.jobs, 'job')} with {counted(left.items, 'item')} and their outcomes would be
            deleted: {grouped(Math.ceil(left.payload_bytes / 1024 ** 2))} MB of payloads. It cannot be undone.
          </p>
          <p>
            Other ages: <a href="/admin/prune?days=7">7 days</a>, <a href="/admin/prune?days=30">30 days</a>,{' '}
            <a href="/admin/prune?days=90">90 days</a>
          </p>
        </>
      ),
      button: `Delete ${counted(left.jobs, 'job')}`,
      isDestructive: true,
      command: `macbatch prune --older-than ${days}d`,
      back: '/admin',
    };
  },
  run: async ({ client, url }) => {
    const older_than_seconds = daysIn(url.searchParams.get('days')) * DAY_SECONDS;
    // Each request deletes a bounded number of rows.
    for (;;) {
      const { left, rows } = await client.call('prune', { body: { older_than_seconds } });
      if (left.jobs === 0 || rows === 0) return '/admin';
    }
  },
};
