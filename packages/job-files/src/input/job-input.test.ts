import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { testFolder } from '@macbatch/testing';
import { describe, expect, it } from 'vitest';
import { defaultForm, type PayloadForm } from '../items/item-form.ts';
import { parsePrompt } from '../items/prompt-template.ts';
import { inputOf, itemsOf, terminalIn, textsOf } from '../testing/text-input.ts';
import { openJobInput } from './job-input.ts';

const form = (payload: PayloadForm, idColumn: string | null = null) => ({ idColumn, payload });
const prompt = (text: string) => form({ kind: 'prompt', template: parsePrompt(text, '--prompt') });
const REVIEWS = 'id,stars,review\n007,5,good\n12345678901234567890,1,"bad, ""really"""\n';

describe('items of a table', () => {
  it('keeps ids and values as texts', async () => {
    expect(await itemsOf({ 'a.csv': REVIEWS })).toEqual([
      { id: '007', payload: { id: '007', stars: '5', review: 'good' } },
      {
        id: '12345678901234567890',
        payload: { id: '12345678901234567890', stars: '1', review: 'bad, "really"' },
      },
    ]);
  });

  it('fills the columns into a prompt, or takes one column', async () => {
    expect(await itemsOf({ 'a.csv': REVIEWS }, { form: prompt('{{stars}} stars: {{ review }}.') })).toEqual([
      { id: '007', payload: '5 stars: good.' },
      { id: '12345678901234567890', payload: '1 stars: bad, "really".' },
    ]);
    const byStars = form({ kind: 'column', column: 'review' }, 'stars');
    expect(await itemsOf({ 'a.csv': REVIEWS }, { form: byStars })).toEqual([
      { id: '5', payload: 'good' },
      { id: '1', payload: 'bad, "really"' },
    ]);
  });

  it('takes the column text as the payload, and the line as the id', async () => {
    const table = { 'a.csv': 'text,n\n"two\nlines",1\nb,2\n' };
    expect(await itemsOf(table, { jobType: 'classify' })).toEqual([
      { id: 'line-2', payload: 'two\nlines' },
      { id: 'line-4', payload: 'b' },
    ]);
  });

  it.each([
    [{ jobType: 'chat' as const }, 'has no column prompt or text. Add --text COLUMN'],
    [
      { form: prompt('{{reviw}}') },
      'the header has no column "reviw" for {{reviw}}. The columns are id, stars, review.',
    ],
    [
      { form: form({ kind: 'column', column: 'x' }) },
      'the header has no column "x" for --text. The columns are',
    ],
    [
      { form: { ...defaultForm('noop'), idColumn: 'x' } },
      'the header has no column "x" for --id. The columns are',
    ],
  ])('refuses a missing column and names those that there are: %j', async (options, message) => {
    await expect(itemsOf({ 'a.csv': REVIEWS }, options)).rejects.toThrow(message);
  });

  it('refuses an empty id', async () => {
    await expect(itemsOf({ 'a.csv': 'id,text\n,x\n' })).rejects.toThrow(
      'line 2 has no id: the cell is empty',
    );
  });
});

describe('items of JSON', () => {
  it('I7: fills in values as they are written', async () => {
    const lines =
      '{"id":9007199254740993,"user":{"name":"\\u00e4","tags":[1.0]},"n":1e400,"a.b":null}\n{"id":"b","user":{"name":"x","tags":0},"n":2,"a.b":"c"}\n';
    expect(
      await itemsOf({ 'a.jsonl': lines }, { form: prompt('{{user.name}}|{{user.tags}}|{{n}}|{{a.b}}') }),
    ).toEqual([
      { id: '9007199254740993', payload: 'ä|[1.0]|1e400|' },
      { id: 'b', payload: 'x|0|2|c' },
    ]);
  });

  it('reads the elements of an array, and lines of text', async () => {
    expect(await itemsOf({ 'a.json': '[{"id":1,"x":2},\n"t"]' })).toEqual([
      { id: '1', payload: { id: 1, x: 2 } },
      { id: 'item-2', payload: 't' },
    ]);
    expect(await itemsOf({ 'a.txt': 'one\r\n\n two\n' }, { form: prompt('Say {{text}}') })).toEqual([
      { id: 'line-1', payload: 'Say one' },
      { id: 'line-3', payload: 'Say  two' },
    ]);
  });

  it('names the record that lacks a column', async () => {
    const lines = '{"a":1}\n\n{"b":1,"c":2}\n';
    await expect(itemsOf({ 'a.jsonl': lines }, { form: prompt('{{a}}') })).rejects.toThrow(
      'line 3 has no column "a" for {{a}}. The columns are b, c.',
    );
    await expect(itemsOf({ 'a.json': '[{"a":1},[2]]' }, { form: prompt('{{a}}') })).rejects.toThrow(
      'item 2 (line 1) has no column "a" for {{a}}. It has no named columns.',
    );
  });
});

it('reads several files as one, with ids and places that name the file', async () => {
  const files = { 'a.txt': 'x\n', 'b.csv': 'text\ny\n' };
  expect(await itemsOf(files, { jobType: 'embed' })).toEqual([
    { id: 'a.txt:line-1', payload: 'x' },
    { id: 'b.csv:line-2', payload: 'y' },
  ]);
  const input = await inputOf(files, { jobType: 'embed' });
  expect(await input.placeOf(2)).toBe('b.csv: line 2');
  await expect(itemsOf({ 'a.txt': 'x\n', 'b.csv': 'a,b\n1\n' })).rejects.toThrow(
    /^b\.csv: line 2 has 1 cell/,
  );
});

describe('gzip', () => {
  it('reads compressed files, also under another name', async () => {
    expect(await itemsOf({ 'a.csv.gz': gzipSync('text\nx\n') }, { jobType: 'embed' })).toEqual([
      { id: 'line-2', payload: 'x' },
    ]);
    expect(await itemsOf({ 'a.jsonl': gzipSync('"x"\n') })).toEqual([{ id: 'line-1', payload: 'x' }]);
  });

  it('refuses a file that is cut off or damaged', async () => {
    const whole = gzipSync(Array.from({ length: 3000 }, (_, n) => `"${Math.sin(n)}"\n`).join(''));
    await expect(itemsOf({ 'a.jsonl.gz': whole.subarray(0, -100) })).rejects.toThrow('a.jsonl.gz is cut off');
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 20, 60);
    await expect(itemsOf({ 'a.jsonl.gz': damaged })).rejects.toThrow('a.jsonl.gz is a damaged gzip file');
  });
});

it('reads standard input as JSON lines, unless a format is given', async () => {
  const open = (text: string, format: 'csv' | null) =>
    openJobInput(
      ['-'],
      { format, form: defaultForm('noop'), choice: { kind: 'all' } },
      { ...terminalIn(testFolder()), stdin: Readable.from([Buffer.from(text)]) },
    );
  await using lines = await open('a,b\n1,2\n', null);
  await expect(textsOf(lines)).rejects.toThrow(/^line 1 is not JSON: .*Add --format csv/);
  await using table = await open('a,b\n1,2\n', 'csv');
  expect(await textsOf(table)).toEqual(['{"id":"line-2","payload":{"a":"1","b":"2"}}']);
});

it('reads a file that grows up to the size that it had at first', async () => {
  const folder = testFolder();
  const path = join(folder, 'a.txt');
  writeFileSync(path, 'one\n');
  const options = { format: null, form: defaultForm('noop'), choice: { kind: 'all' } } as const;
  const input = await openJobInput(['a.txt'], options, terminalIn(folder));
  appendFileSync(path, 'two\n');
  expect(await textsOf(input)).toHaveLength(1);
});

describe('the choice of records', () => {
  const lines = Array.from({ length: 100 }, (_, n) => `${n}\n`).join('');
  const ids = async (choice: Parameters<typeof inputOf>[1]) =>
    (await itemsOf({ 'a.txt': lines }, choice)).map((item) => Reflect.get(Object(item), 'payload'));
  const sample = (count: number, seed: number) => ids({ choice: { kind: 'sample', count, seed } });

  it('takes the first', async () => {
    expect(await ids({ choice: { kind: 'first', count: 3 } })).toEqual(['0', '1', '2']);
  });

  it('I6: takes the same sample for the same seed, in the order of the file', async () => {
    const first = await sample(10, 1);
    expect(first).toHaveLength(10);
    expect(first).toEqual(first.toSorted((a, b) => Number(a) - Number(b)));
    expect(await sample(10, 1)).toEqual(first);
    expect(await sample(10, 2)).not.toEqual(first);
    expect(await sample(1000, 1)).toHaveLength(100);
  });
});
