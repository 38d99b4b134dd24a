import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visiblePieces } from './exact-text.tsx';
import { endedJob } from './testing/example-job.ts';
import { pageApp } from './testing/page-app.ts';

const app = pageApp();

/** Texts that break out of HTML, turn a line around, or control a terminal. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus=alert(1) x='",
  '</title></textarea></pre><h1>gone',
  '<!-- ]]> -->',
  '&lt;b&gt; &amp;amp;',
  'javascript:alert(1)',
  '\u202etxt.exe',
  '\u001b[31mred\u001b[0m',
  '\ufeff\u200b\u2028',
  '{{constructor}} %00',
];

const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme', maxLength: 5 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(' '));

/** Everything of a page that is not text: its tags, in order, without the values of attributes. */
const tagsOf = (html: string) =>
  [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replaceAll(/="[^"]*"/g, '=""'));

const kindsOf = (html: string) => new Set(tagsOf(html));

it('hostile texts are shown and change no tag of any page', async () => {
  const plain = await endedJob(
    app,
    [{ id: 'plain', payload: 'plain', error: { code: 'broken', message: 'plain' } }],
    'plain',
  );
  const paths = (id: string) => [
    '/',
    `/jobs/${id}`,
    `/jobs/${id}/items`,
    `/jobs/${id}/items/0`,
    `/jobs/${id}/retry`,
    `/jobs/${id}/cancel`,
    '/events',
  ];
  const known = new Set<string>();
  for (const path of paths(plain)) for (const tag of kindsOf(await app.html(path))) known.add(tag);
  // A hidden character is shown by an element of its own.
  known.add('<span class="">');
  await fc.assert(
    fc.asyncProperty(hostileText, async (text) => {
      const storable = `x${text.replaceAll(/[\0\p{Cs}]/gu, '')}`;
      const error = { code: 'broken', message: text };
      const id = await endedJob(
        app,
        [{ id: storable.slice(0, 500).toWellFormed(), payload: text, error }],
        storable.slice(0, 150).toWellFormed(),
      );
      for (const path of paths(id))
        for (const tag of kindsOf(await app.html(path))) expect(known, path).toContain(tag);
    }),
    { numRuns: 10 },
  );
  expect(app.errors).toEqual([]);
});

it('a text of a megabyte, NUL and lone surrogates are shown on the page of an item', async () => {
  const payload = `\u0000\ud800 end ${'<'.repeat(1_000_000)}`;
  const id = await endedJob(app, [{ id: 'a', payload }]);
  const html = await app.html(`/jobs/${id}/items/0`);
  expect(html.length).toBeLessThan(400_000);
  expect(html).toContain('\\u0000\\ud800 end &lt;');
});

it('splits every text into pieces that are the whole text again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const pieces = visiblePieces(text);
      const whole = pieces
        .map(({ text: piece, escaped }) =>
          escaped ? String.fromCodePoint(Number.parseInt(piece.replaceAll(/\\u|[{}]/g, ''), 16)) : piece,
        )
        .join('');
      expect(whole).toBe(text);
      for (const { text: piece, escaped } of pieces)
        if (!escaped) expect(piece).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});
