import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FailureGroups, failureGroupId, failurePattern } from './failure-groups.ts';

describe('failurePattern', () => {
  it.each([
    ['numbers', 'the prompt has 8193 tokens, 1.5 times 4,096', 'the prompt has # tokens, # times #'],
    ['quoted text', `model "qwen3" or 'llama' is not loaded`, 'model # or # is not loaded'],
    ['ids', 'request 0198c0de-0000-7000-8000-000000000001 and 0xdeadbeef1', 'request # and #'],
    ['paths and URLs', 'cannot open /tmp/a/b.gguf of http://127.0.0.1:1/v1', 'cannot open # of #'],
    ['nothing else', 'and/or: no face, no decade', 'and/or: no face, no decade'],
  ])('replaces %s', (_what, message, pattern) => {
    expect(failurePattern(message)).toBe(pattern);
  });

  it('is short and needs little time for any message', () => {
    fc.assert(fc.property(fc.string({ maxLength: 5000 }), (text) => failurePattern(text).length <= 200));
    expect(failurePattern('/a'.repeat(1_000_000))).toHaveLength(1);
  });
});

describe('FailureGroups', () => {
  it('counts failures of the same kind together, with the first as the example', () => {
    const groups = new FailureGroups();
    groups.add('a', { code: 'timeout', message: 'no answer within 30 s' });
    groups.add('b', { code: 'context_length', message: '9000 tokens' });
    groups.add('c', { code: 'context_length', message: '8000 tokens' });
    groups.add('d', { code: 'other', message: '8000 tokens' });
    const list = groups.list();
    expect(list).toMatchObject([
      { code: 'context_length', message: '9000 tokens', exampleId: 'b', count: 2 },
      { code: 'timeout', message: 'no answer within 30 s', exampleId: 'a', count: 1 },
      { code: 'other', message: '8000 tokens', exampleId: 'd', count: 1 },
    ]);
    expect(list[0]?.id).toMatch(/^[0-9a-f]{8}$/);
    expect(list[0]?.id).toBe(failureGroupId({ code: 'context_length', message: '17 tokens' }));
    expect(new Set(list.map(({ id }) => id)).size).toBe(3);
  });

  it('keeps 50 groups and counts the failures of the others', () => {
    const groups = new FailureGroups();
    for (let n = 0; n < 60; n += 1) groups.add(`i${n}`, { code: `code-${n}`, message: 'm' });
    groups.add('again', { code: 'code-0', message: 'm' });
    expect(groups.list()).toHaveLength(50);
    expect(groups.others).toBe(10);
    expect(groups.list()[0]).toMatchObject({ code: 'code-0', count: 2 });
  });
});
