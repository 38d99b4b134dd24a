import { Writable } from 'node:stream';
import { JobView } from '@macbatch/contract';
import { FailureGroups } from '@macbatch/core';
import { expect, it } from 'vitest';
import { endText } from './end-text.ts';
import { paintFor } from './paint.ts';
import { jobSummary } from './testing/job-summary.ts';

const ID = '0198c0de-0000-7000-8000-000000000000';
const job = (items: object) =>
  JobView.parse({
    ...jobSummary(ID, 'done'),
    finished_at: '2026-01-01T00:00:10Z',
    items: { total: 30, ok: 30, error: 0, failed: 0, reused: 0, repeated: 0, open: 0, ...items },
    params: {},
    workers: [],
    models_used: [],
    mixed_models: false,
    waiting_for: null,
  });
const plain = paintFor(new Writable(), {});

it('shows counts, rate, failures by kind with an example, the file and the next command', () => {
  const failures = new FailureGroups();
  failures.add('a', { code: 'timeout', message: `no answer within 30 s${'.'.repeat(200)}` });
  failures.add('b\u001b[2J', { code: 'context_length', message: 'the prompt has 9000 tokens' });
  failures.add('c', { code: 'context_length', message: 'the prompt has 8000 tokens' });
  failures.others = 1200;
  const text = endText(
    job({ ok: 27, error: 3 }),
    { failures, tokens: { input: 12_000, output: 30 }, outcomes: 'out.jsonl', next: 'macbatch retry X' },
    plain,
  );
  expect(text).toMatch(/^done with 3 failed items\n/);
  expect(text).toMatch(/items ok \/ failed \/ total +27 \/ 3 \/ 30/);
  expect(text).toMatch(/items\/s +3\.00/);
  expect(text).toMatch(/tokens in \/ out +12,000 \/ 30/);
  expect(text).toMatch(/^ +2 +[0-9a-f]{8} +context_length +b\ufffd\[2J +the prompt has 9000 tokens$/m);
  expect(text).toMatch(/^ +1 +[0-9a-f]{8} +timeout +a +no answer within 30 s\.{79}…$/m);
  expect(text).toContain('1,200 more failures are not in this list');
  expect(text).toMatch(/\noutcomes: out\.jsonl\nnext: macbatch retry X$/);
});

it('shows no failures when there are none', () => {
  const text = endText(job({}), { failures: new FailureGroups(), next: 'x' }, plain);
  expect(text).toMatch(/^done\n/);
  expect(text).not.toContain('for example');
});

it.each([
  ['a terminal', true, {}, true],
  ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['a dumb terminal', true, { TERM: 'dumb' }, false],
  ['a pipe', false, {}, false],
])('colours on %s: %s', (_what, isTTY, env, coloured) => {
  const paint = paintFor(Object.assign(new Writable(), { isTTY }), env);
  const text = endText(job({ ok: 29, error: 1 }), { failures: new FailureGroups(), next: 'x' }, paint);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape
  expect(/\u001b\[31m/.test(text)).toBe(coloured);
});
