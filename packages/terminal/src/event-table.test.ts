import { expect, it } from 'vitest';
import { eventTable } from './event-table.ts';

const event = (kind: string, detail: unknown) => ({
  id: '1',
  at: '2026-01-02T03:04:05.000Z',
  kind,
  job: '0198c0de-0000-7000-8000-000000000001',
  task_id: '7',
  worker: 'mac\u001b[31m',
  attempt: 2,
  detail,
});

it('shows the error in a detail, and no control character', () => {
  const error = { code: 'timeout', message: 'no\nanswer' };
  const text = eventTable([
    event('task_error', error),
    event('stale_item_error', { items: 2, item_id: 'a', error }),
    event('lease_expired', null),
  ]);
  expect(text.match(/timeout: no/g)).toHaveLength(2);
  expect(text).toContain('0198c0de ');
  expect(text).not.toContain('\u001b');
  expect(text.split('\n')).toHaveLength(4);
});
