import { Failure } from '@macbatch/terminal';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultForm } from '../items/item-form.ts';
import { itemText } from '../items/item-text.ts';
import { parsePrompt } from '../items/prompt-template.ts';
import { detectFormat } from './detect-format.ts';
import { INPUT_FORMATS } from './format.ts';
import { readRecords } from './read-records.ts';

const PIECES = [
  '"',
  '""',
  ',',
  ';',
  '\t',
  '\n',
  '\r\n',
  '\r',
  '[',
  ']',
  '{',
  '}',
  ':',
  '\\',
  '\\u0000',
  'a',
  '1',
  'id',
];

/** Files of structural characters, of any text, and of any bytes. */
const file = fc.oneof(
  fc
    .array(fc.constantFrom(...PIECES, '"id":1', 'é', '\ud83d\ude00', '\ufeff', 'null', '{{a}}'))
    .map((parts) => Buffer.from(parts.join(''))),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

it('makes items of any file, or refuses it in words', async () => {
  const forms = [
    defaultForm('chat'),
    { idColumn: 'a', payload: { kind: 'column', column: 'id' } } as const,
    {
      idColumn: null,
      payload: { kind: 'prompt', template: parsePrompt('{{a}} {{id}}', '--prompt') },
    } as const,
  ];
  const given = fc.constantFrom(null, ...INPUT_FORMATS);
  await fc.assert(
    fc.asyncProperty(
      file,
      given,
      fc.constantFrom(...forms),
      fc.integer({ min: 1, max: 9 }),
      async (bytes, format, form, size) => {
        async function* chunks() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        }
        try {
          for await (const record of readRecords(chunks(), detectFormat('x', bytes, format))) {
            const { id, text } = itemText(record, form, '');
            const item = JSON.parse(text) as object;
            expect(new Set(Object.keys(item))).toEqual(new Set(['id', 'payload']));
            expect(item).toMatchObject({ id });
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      },
    ),
    { numRuns: 500 },
  );
});
