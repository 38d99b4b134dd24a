import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AWKWARD_PAYLOADS, jsonArray, jsonObject, jsonSpace } from '../testing/json-text.ts';
import { arrayElements, objectMembers } from './json-slice.ts';

const elementsOf = (text: string, start = 0) =>
  [...arrayElements(text, start)].map(({ start: from, end }) => text.slice(from, end));

const membersOf = (text: string, start = 0) =>
  objectMembers(text, start).map(({ name, value }) => ({ name, text: text.slice(value.start, value.end) }));

// Not compared with JSON.parse(text): V8 of Node 24 returns a wrong key for '{"a":1,"\\n":2}' once it has parsed
// '{"a":1,"\\\\":2}'.
describe('slices of random JSON text', () => {
  it('I7: returns the exact text of each array element', () => {
    fc.assert(
      fc.property(jsonArray, ({ elements, text }) => {
        expect(elementsOf(text)).toEqual(elements);
      }),
      { numRuns: 500 },
    );
  });

  it('I7: returns the exact text of each object member in order, repeated names included', () => {
    fc.assert(
      fc.property(jsonObject, ({ members, text }) => {
        expect(membersOf(text)).toEqual(members);
      }),
      { numRuns: 500 },
    );
  });

  it('I7: reads a container inside a longer text only up to its end', () => {
    fc.assert(
      fc.property(jsonSpace, jsonArray, jsonObject, (space, array, object) => {
        const text = `{"a":${space}${array.text},"o":${space}${object.text}}`;
        const [a, o] = objectMembers(text);
        expect(elementsOf(text, a?.value.start)).toEqual(array.elements);
        expect(membersOf(text, o?.value.start)).toEqual(object.members);
      }),
    );
  });
});

it.each(AWKWARD_PAYLOADS)('I7: finds the whole of %s in an array and in an object', (_name, payload) => {
  expect(elementsOf(`[${payload},1 , ${payload} ]`)).toEqual([payload, '1', payload]);
  expect(membersOf(`{"a":${payload} ,"b":${payload}}`)).toEqual([
    { name: 'a', text: payload },
    { name: 'b', text: payload },
  ]);
});

it('I7: finds no elements and no members in an empty container', () => {
  expect(elementsOf(' [ ] ')).toEqual([]);
  expect(membersOf('\n{\t}\r\n')).toEqual([]);
});

it('I7: ends or throws on invalid JSON, without an endless loop', () => {
  expect(() => elementsOf('["a')).toThrow(SyntaxError);
  expect(() => elementsOf('[}')).toThrow(SyntaxError);
  expect(() => membersOf('{"a":}')).toThrow(SyntaxError);
  expect(elementsOf('[1, 2')).toEqual(['1', '2']);
  expect(membersOf('{"a": 1')).toEqual([{ name: 'a', text: '1' }]);
});

it('I7: slices 200,000 elements in one pass', () => {
  const element = '{"a":"\\\\\\\\","b":[1]}';
  expect(elementsOf(`[${Array.from({ length: 200_000 }, () => element).join(',')}]`)).toHaveLength(200_000);
});
