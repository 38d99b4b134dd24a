import type { ItemView } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { itemTable, itemText } from './item-text.ts';

const ITEM: ItemView = {
  seq: 7,
  id: 'a\u001bb',
  state: 'error',
  error_code: 'too_long',
  error_message: 'x'.repeat(300),
  worker: 'ann',
  attempt: 2,
  leased_at: '2026-01-01T00:00:00Z',
  finished_at: '2026-01-01T00:00:05Z',
  input_bytes: 12,
  output_bytes: null,
  reused: false,
  input: '{\n"a":"\u009b"}',
  params: '{}',
  output: null,
  error: '{"code":"too_long"}',
  usage: '{"input_tokens":3}',
  model: 'qwen3',
  model_digest: 'sha',
  attempts: [{ attempt: 2, worker: 'bob', leased_at: '2026-01-01T00:00:00Z', current: true }],
};

it('lists items with their errors, without control characters', () => {
  const [head = '', row = ''] = itemTable([ITEM]).split('\n');
  expect(head).toMatch(/^item +id +state +worker +attempt +finished +bytes in +bytes out +error/);
  expect(row).toMatch(/7 +a\ufffdb +error +ann +2 +2026-01-01T00:00:05Z +12 +– +too_long: x{100}…$/);
});

it('shows the facts, attempts and texts of one item', () => {
  const text = itemText(ITEM);
  expect(text).toMatch(/^item 7 +a\ufffdb\nstate +error\nworker +ann\nmodel +qwen3 \(sha\)\n/);
  expect(text).toMatch(/2 +bob +2026-01-01T00:00:00Z +holds it now/);
  expect(text).toContain('input\n{\n"a":"\ufffd"}');
  expect(text).toContain('error\n{"code":"too_long"}');
  expect(text).not.toContain('output\n');
});
