import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AWKWARD_PAYLOADS, jsonSpace, jsonText } from '../testing/json-text.ts';
import { parseItem } from './item.ts';
import { itemIdProblem } from './item-id.ts';

describe('parseItem', () => {
  it('I7: keeps the text of any payload, with any text around it', () => {
    const id = fc.string({ minLength: 1, maxLength: 60 }).filter((text) => itemIdProblem(text) === null);
    fc.assert(
      fc.property(id, jsonText, jsonSpace, fc.boolean(), (name, payload, space, idFirst) => {
        const members = [`"id"${space}:${JSON.stringify(name)}`, `"payload":${space}${payload}${space}`];
        const text = `${space}{${(idFirst ? members : members.reverse()).join(`${space},${space}`)}}${space}`;
        expect(parseItem(text)).toEqual({ ok: true, item: { id: name, payload } });
      }),
      { numRuns: 500 },
    );
  });

  it.each(AWKWARD_PAYLOADS)('I7: keeps the text of %s', (_name, payload) => {
    expect(parseItem(`{"id":"a","payload": ${payload} }`)).toEqual({ ok: true, item: { id: 'a', payload } });
  });

  it('I7: keeps an escaped lone surrogate in the payload', () => {
    const payload = '"\\udead"';
    expect(parseItem(`{"id":"a","payload":${payload}}`)).toEqual({ ok: true, item: { id: 'a', payload } });
  });

  it('I7: decodes the escapes of an id', () => {
    expect(parseItem('{"\\u0069d":"\\u0061\\ud83d\\ude00","payload":1}')).toEqual({
      ok: true,
      item: { id: 'a😀', payload: '1' },
    });
  });
});

describe('parseItem refuses', () => {
  it.each<[string, string, string | null, string]>([
    ['an empty text', '', null, 'is not JSON'],
    ['half a text', '{"id":"a"', null, 'is not JSON'],
    ['two values', '{"id":"a","payload":1}{}', null, 'is not JSON'],
    ['a payload that is no JSON', '{"id":"a","payload":NaN}', null, 'is not JSON'],
    ['a raw NUL in a string', '{"id":"a","payload":"\u0000"}', null, 'is not JSON'],
    ['a raw lone surrogate in the payload', '{"id":"a","payload":"\udead"}', null, 'raw lone surrogate'],
    ['a raw lone surrogate in the id', '{"id":"\ud83d","payload":1}', null, 'raw lone surrogate'],
    ['a string', '"a"', null, 'must be a JSON object'],
    ['null', 'null', null, 'must be a JSON object'],
    ['an array', '[{"id":"a","payload":1}]', null, 'must be a JSON object'],
    ['no id', '{"payload":1}', 'id', 'is missing'],
    ['no payload', '{"id":"a"}', 'payload', 'is missing'],
    ['no member at all', '{}', 'id', 'is missing'],
    ['an id that is a number', '{"id":7,"payload":1}', 'id', 'must be a string'],
    ['an empty id', '{"id":"","payload":1}', 'id', 'must not be empty'],
    ['an id with an escaped NUL', '{"id":"a\\u0000","payload":1}', 'id', 'U+0000'],
    ['an id with an escaped lone surrogate', '{"id":"\\udead","payload":1}', 'id', 'lone surrogate'],
    ['two ids', '{"id":"a","id":"a","payload":1}', 'id', 'is given twice'],
    ['two payloads', '{"id":"a","payload":1,"payload":1}', 'payload', 'is given twice'],
    ['two ids, one of them with escapes', '{"id":"a","\\u0069d":"b","payload":1}', 'id', 'is given twice'],
    [
      'a member too many',
      '{"id":"a","payload":1,"model":"m"}',
      'model',
      'is not allowed: an item has only id and payload',
    ],
    ['a member named __proto__', '{"id":"a","__proto__":{},"payload":1}', '__proto__', 'is not allowed'],
    ['an id only by inheritance', '{"__proto__":{"id":"a"},"payload":1}', '__proto__', 'is not allowed'],
  ])('A3: %s, and names the invalid member', (_what, text, field, problem) => {
    expect(parseItem(text)).toEqual({ ok: false, field, problem: expect.stringContaining(problem) });
  });
});
