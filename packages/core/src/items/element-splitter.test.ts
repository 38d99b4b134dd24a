import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../testing/json-text.ts';
import { ElementSplitter } from './element-splitter.ts';

function split(text: string, size = 3, maxLength = 1_000_000): string[] {
  const splitter = new ElementSplitter('requests', maxLength);
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(...splitter.add(text.slice(at, at + size)));
  splitter.end();
  return found;
}

describe('ElementSplitter', () => {
  it('I7: yields the exact text of each element, however the text is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(
          jsonText.map((text) => text.trim()),
          { maxLength: 4 },
        ),
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom('', ' ', '\n\t'),
        (elements, size, space) => {
          const array = `[${space}${elements.join(`${space},${space}`)}${space}]`;
          expect(split(`${space}{"requests"${space}:${array}}${space}`, size)).toEqual(elements);
        },
      ),
    );
  });

  it('I7: yields an element when it ends, before the rest has arrived', () => {
    const splitter = new ElementSplitter('requests', 1000);
    expect([...splitter.add('{"requests":[{"a":1}')]).toEqual([]);
    expect([...splitter.add(',')]).toEqual(['{"a":1}']);
  });

  it('A3: knows the member by its name, not by its spelling', () => {
    expect(split('{"\\u0072equests":[1]}')).toEqual(['1']);
  });

  it.each([
    ['', 'is empty'],
    [' ', 'is empty'],
    ['[]', 'is not a JSON object'],
    ['"a"', 'is not a JSON object'],
    ['{"requests":[1', 'is cut off'],
    ['{"requests":["a]}', 'is cut off'],
    ['{"requests":[1]', 'is cut off'],
    ['{"requests":[1]}{', 'text behind the object'],
    ['{"requests":[1]}"', 'text behind the object'],
    ['{"requests":[1] 2}', 'text behind requests'],
    ['{"requests":[1] [2]}', 'text behind requests'],
    ['{"requests":[1],}', 'a member is not valid'],
    ['{,"requests":[1]}', 'a member is not valid'],
    ['{"requests":[1,,2]}', 'a comma too many'],
    ['{"requests":[1,]}', 'a comma too many'],
    ['{"requests":[}]}', 'a bracket too many'],
    ['{"requests":[1],"requests":[2]}', 'has requests twice'],
    ['{"requests":{}}', 'has no array requests'],
    ['{"requests":"[1]"}', 'has no array requests'],
    ['{}', 'has no array requests'],
    ['{"a":[1],"requests":[1]}', 'has the unknown member a'],
    ['{"requests":[1],"b":2}', 'has the unknown member b'],
    ['{requests:[1]}', 'a member is not valid'],
    [`{"requests":["${'x'.repeat(1000)}"]}`, 'an element of requests of more than 1000 characters'],
    [`{"${'x'.repeat(1000)}":1}`, 'a member of more than 1000 characters'],
  ])('A3: refuses %j', (text, message) => {
    expect(() => split(text, 3, 1000)).toThrow(message);
  });
});
