import { Outcome } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { reportableEnd } from './reportable-end.ts';

const outcomeWith = (more: object) => {
  const end = reportableEnd({
    kind: 'outcome',
    outcome: { item_id: 'a', output: '1', model: { name: 'm', digest: null }, ...more },
  });
  if (end.kind !== 'outcome') throw new Error('not an outcome');
  return Outcome.parse(JSON.parse(JSON.stringify(end.outcome)));
};

it('cuts the start of a long model name', () => {
  const { model } = outcomeWith({
    model: { name: `/Users/me/${'folder/'.repeat(100)}model.gguf`, digest: null },
  });
  expect(model?.name).toHaveLength(500);
  expect(model?.name).toMatch(/^….*folder\/model\.gguf$/);
});

it.each([
  ['U+0000', 'a\u0000b', 'a\ufffdb'],
  ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
])('replaces %s in a model name', (_what, name, reported) => {
  expect(outcomeWith({ model: { name, digest: null } }).model).toEqual({ name: reported, digest: null });
});

it('replaces half a surrogate pair at the end of a truncated text', () => {
  const name = '😀'.repeat(300);
  expect(outcomeWith({ model: { name, digest: null } }).model?.name.isWellFormed()).toBe(true);
});

it('leaves out an empty model name, a digest that is too long, and infinite counts', () => {
  expect(outcomeWith({ model: { name: '', digest: null } })).toEqual({ item_id: 'a', output: '1' });
  expect(outcomeWith({ model: { name: 'm', digest: 'd'.repeat(201) } }).model).toEqual({
    name: 'm',
    digest: null,
  });
  expect(outcomeWith({ usage: { a: Number.POSITIVE_INFINITY, b: 2 } }).usage).toEqual({ b: 2 });
});

it.each(['not_here', 'crashed'] as const)('cuts the long message of an item that ended as %s', (kind) => {
  const end = reportableEnd({ kind, error: { code: 'x', message: `\u0000${'x'.repeat(50_000)}` } });
  expect(end).toEqual({ kind, error: { code: 'x', message: `\ufffd${'x'.repeat(1999)}` } });
});

it('cuts the long message of an item that failed, and keeps the rest', () => {
  const failed = {
    kind: 'failed',
    failure: 'timeout',
    retryAfterMs: 7,
    bytesArrived: true,
    jitter: 0.5,
  } as const;
  expect(reportableEnd({ ...failed, error: { code: 'x', message: 'x'.repeat(50_000) } })).toEqual({
    ...failed,
    error: { code: 'x', message: 'x'.repeat(2000) },
  });
});

it('leaves an aborted run alone', () => {
  expect(reportableEnd({ kind: 'aborted' })).toEqual({ kind: 'aborted' });
});
