import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonObject } from '../testing/json-text.ts';
import { objectMembers } from './json-slice.ts';
import { requestBodyProblem, withModel } from './request-body.ts';

describe('withModel', () => {
  it.each([
    ['replaces the model', '{"model":"a","n":1}', '{"model":"q:8b","n":1}'],
    ['replaces a model with escapes in its name', '{"mod\\u0065l" : "a" }', '{"mod\\u0065l" : "q:8b" }'],
    [
      'replaces every repeated model',
      '{"model":"a","x":{},"model":"b"}',
      '{"model":"q:8b","x":{},"model":"q:8b"}',
    ],
    [
      'leaves models of members alone',
      '{"x":{"model":"a"},"model":"b"}',
      '{"x":{"model":"a"},"model":"q:8b"}',
    ],
    ['adds a missing model', '{"n":1}', '{"model":"q:8b","n":1}'],
    ['adds a model to an empty body', ' { } ', ' {"model":"q:8b" } '],
    [
      'keeps big numbers, the order of members, repeated members and escapes',
      '{"b":9007199254740993,"a":1.0,"b":-0,"model":"x","t":"\\u0000\\ud800é"}',
      '{"b":9007199254740993,"a":1.0,"b":-0,"model":"q:8b","t":"\\u0000\\ud800é"}',
    ],
  ])('I7: %s', (_what, body, sent) => {
    expect(withModel(body, 'q:8b')).toBe(sent);
  });

  it('I7: changes nothing in a random body but the model', () => {
    const textsOf = (text: string) =>
      objectMembers(text).map(({ name, value }) => [name, text.slice(value.start, value.end)] as const);
    fc.assert(
      fc.property(jsonObject, fc.string(), ({ text }, model) => {
        const sent = textsOf(withModel(text, model));
        const before = textsOf(text);
        const value = JSON.stringify(model);
        const expected = before.map(([name, old]) => [name, name === 'model' ? value : old] as const);
        const isNamed = before.some(([name]) => name === 'model');
        expect(sent).toEqual(isNamed ? expected : [['model', value], ...expected]);
      }),
    );
  });
});

describe('requestBodyProblem', () => {
  it.each([[null], [[]], ['text'], [1]])('A3: refuses %j as a body', (body) => {
    expect(requestBodyProblem(body)).toMatchObject({ member: null });
  });

  it.each([
    ['stream', { stream: true }],
    ['stream', { stream: 'yes' }],
    ['n', { n: 0 }],
    ['n', { n: -1 }],
    ['model', { model: 7 }],
    ['model', { model: null }],
  ])('A3: names %s in %j', (member, body) => {
    expect(requestBodyProblem(body)).toMatchObject({ member });
  });

  it.each([
    [{}],
    [{ stream: false, n: 2, model: 'x' }],
    [{ stream: null, n: null }],
    [{ n: 'two', any: [] }],
  ])('accepts %j', (body) => {
    expect(requestBodyProblem(body)).toBeNull();
  });
});
