import { expect, it } from 'vitest';
import { fileApp, NDJSON } from '../testing/file-app.ts';

const control = fileApp();

/** Long enough to overflow the stack of a recursive parser or of the engine for regular expressions. */
const PAYLOAD_BYTES = 3_000_000;

/** Repeats a text up to the size of a payload. */
const full = (text: string, around = '') =>
  text.repeat((PAYLOAD_BYTES - around.length) / Buffer.byteLength(text));

const deep = (levels: number, open: string, close: string) =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

it.each([
  ['a text', `"${full('x', '""')}"`],
  ['a text of escapes', `"${full('\\u0000', '""')}"`],
  ['a text of quotes', `"${full('\\"', '""')}"`],
  ['a text of emoji', `"${full('😀', '""')}"`],
  ['an array of numbers', `[${'1,'.repeat(1_000_000)}1]`],
  ['an object with many members', `{${Array.from({ length: 200_000 }, (_, n) => `"k${n}":${n}`).join()}}`],
  ['spaces', `[${full(' ', '[1]')}1]`],
  ['a long number', full('9')],
  ['a number with a long fraction', `0.${full('9', '0.')}`],
  ['deep arrays', deep(1_000_000, '[', ']')],
  ['deep objects', deep(1_000_000, '{"a":', '}')],
])(
  'A3: a large payload that is %s is stored byte for byte or refused by its line',
  async (_what, payload) => {
    const body = `{"job_type":"noop","model":"m","reuse":"ledger"}\n{"id":"a","payload":${payload}}\n`;
    const response = await control.send('POST', '/v1/jobs', body, NDJSON);
    const reply = (await response.json()) as { readonly id: string; readonly code?: string };
    if (response.status === 201) {
      const [stored] = await control.db.sql<
        { same: boolean }[]
      >`select payload = ${payload} as same from items`;
      expect(stored).toEqual({ same: true });
    } else {
      expect(reply).toMatchObject({ status: 400, code: 'invalid_item', line: 2 });
    }
    expect(control.errors).toEqual([]);
  },
);
