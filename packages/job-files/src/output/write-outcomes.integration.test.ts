import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '@macbatch/terminal';
import { testFolder, until } from '@macbatch/testing';
import { parse } from 'csv-parse/sync';
import { expect, it, onTestFinished } from 'vitest';
import { outcomePool } from '../testing/outcome-pool.ts';
import { inputOf } from '../testing/text-input.ts';
import { type OutputForm, PLAIN_FORM } from './output-form.ts';
import { outputTarget } from './output-target.ts';
import { writeOutcomes } from './write-outcomes.ts';

const pool = outcomePool();

const lines = (...ids: readonly string[]) => ids.map((id) => `{"id":"${id}","payload":1}\n`).join('');

/** Starts to write the outcomes of a job to a file. */
async function writing(jobId: string, path: string, form: Partial<OutputForm> = {}, follow = true) {
  const stop = new AbortController();
  const target = await outputTarget(path, []);
  const done = writeOutcomes(
    pool.client,
    { jobId, form: { ...PLAIN_FORM, ...form }, target, follow, pollMs: 10 },
    stop.signal,
  );
  done.catch(() => undefined);
  const text = (name = path) => (existsSync(name) ? readFileSync(name, 'utf8') : '');
  return {
    done,
    text,
    draft: () => text(`${path}.part`),
    ids: (name?: string) => Array.from(text(name).matchAll(/^\{"id":"([^"]+)"/gm), ([, id]) => id),
    async interrupt() {
      stop.abort();
      await expect(done).rejects.toThrow();
    },
  };
}

it('writes outcomes in the order of the input as they arrive, and continues after an interruption', async () => {
  const path = join(testFolder(), 'out.jsonl');
  const job = await pool.submit(await inputOf({ 'a.jsonl': lines('a', 'b', 'c', 'd') }));
  await pool.end({ a: '1.0', c: '3' });
  const first = await writing(job, path);
  await until(() => first.draft() !== '');
  expect(first.draft()).toMatch(/^\{"id":"a","status":"ok","output":1\.0,.*\}\n$/);
  await first.interrupt();
  expect(existsSync(path)).toBe(false);

  // A changed draft shows that it is continued, and bytes behind the saved ones that they are not kept.
  writeFileSync(`${path}.part`, `${first.draft().replace('1.0', '9.9')}{"id":"${'torn'.repeat(1000)}`);
  const second = await writing(job, path);
  await pool.end({ b: '2' });
  await until(() => second.ids(`${path}.part`).length === 3);
  await pool.end({ d: { error: 'bad' } });
  expect(await second.done).toMatchObject({ ok: 3, error: 1 });
  expect(second.ids()).toEqual(['a', 'b', 'c', 'd']);
  expect(second.text()).toContain('"output":9.9');
  expect([`${path}.part`, `${path}.part.json`].map((each) => existsSync(each))).toEqual([false, false]);
});

it('begins anew when the draft is of another job or of other options', async () => {
  const path = join(testFolder(), 'out.jsonl');
  const job = await pool.submit(await inputOf({ 'a.jsonl': lines('a', 'b') }));
  await pool.end({ a: '1' });
  const first = await writing(job, path);
  await until(() => first.draft() !== '');
  await first.interrupt();
  await pool.end({ b: { error: 'bad' } });
  const errors = await writing(job, path, { only: 'error' });
  expect(await errors.done).toMatchObject({ ok: 0, error: 1 });
  expect(errors.ids()).toEqual(['b']);
});

it('writes outcomes in the order of completion, and each once after an interruption', async () => {
  const path = join(testFolder(), 'out.jsonl');
  const job = await pool.submit(await inputOf({ 'a.jsonl': lines('a', 'b', 'c', 'd') }));
  await pool.end({ c: '3' });
  const first = await writing(job, path, { order: 'completion' });
  await until(() => first.ids(`${path}.part`).length === 1);
  await pool.end({ a: '1' });
  await until(() => first.ids(`${path}.part`).length === 2);
  await first.interrupt();
  await pool.end({ b: '2', d: '4' });
  const second = await writing(job, path, { order: 'completion' });
  expect(await second.done).toMatchObject({ ok: 4, error: 0 });
  expect(second.ids()).toEqual(['c', 'a', 'b', 'd']);
});

it('writes the file anew when an outcome changed after it was written', async () => {
  const path = join(testFolder(), 'out.jsonl');
  const job = await pool.submit(await inputOf({ 'a.jsonl': lines('a', 'b') }));
  await pool.end({ a: { error: 'bad' } });
  const outcomes = await writing(job, path);
  await until(() => outcomes.draft().includes('"error"'));
  await pool.client.call('retryJob', { params: { id: job }, body: { items: true } });
  await pool.end({ a: '1', b: '2' });
  expect(await outcomes.done).toMatchObject({ ok: 2, error: 0 });
  expect(outcomes.text()).not.toContain('"error"');
});

it('writes what there is of a running job without follow', async () => {
  const path = join(testFolder(), 'out.jsonl');
  const job = await pool.submit(await inputOf({ 'a.jsonl': lines('a', 'b', 'c') }));
  await pool.end({ a: '1', c: '3' });
  const outcomes = await writing(job, path, {}, false);
  expect(await outcomes.done).toMatchObject({ ok: 2, error: 0 });
  expect(outcomes.ids()).toEqual(['a', 'c']);
});

it('spreads what there is of a running job without follow', async () => {
  const path = join(testFolder(), 'out.csv');
  const job = await pool.submit(await inputOf({ 'a.jsonl': lines('a', 'b') }));
  await pool.end({ a: '{"x":1}' });
  const outcomes = await writing(job, path, { format: 'csv', flatten: true }, false);
  expect(await outcomes.done).toMatchObject({ ok: 1, error: 0 });
  expect(outcomes.text()).toMatch(/^id,output\.x,status,.*\na,1,ok,.*\n$/);
});

it('joins the rows of a CSV file with their outcomes, as CSV', async () => {
  const path = join(testFolder(), 'out.csv');
  const rows = [
    ['review', 'status'],
    ['"good", she said', 'new'],
    ['two\r\nlines', '=1+1'],
    ['bad', ''],
  ];
  const text = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')).join('\r\n');
  const input = await inputOf({ 'a.csv': text });
  const job = await pool.submit(input);
  const output = '{"label":"praise","scores":{"praise":0.5},"n":9007199254740993}';
  await pool.end({ 'line-2': output, 'line-3': '"=2+2\\n"', 'line-5': { error: 'bad_item' } });
  const parsed = async (form: Partial<OutputForm>) => {
    const outcomes = await writing(job, path, { format: 'csv', join: input, ...form });
    await outcomes.done;
    return { text: outcomes.text(), rows: parse(outcomes.text(), { bom: true }) as string[][] };
  };

  const plain = await parsed({});
  expect(plain.rows[0]?.join()).toBe(
    'review,status,id,output,outcome_status,error_code,error_message,model,finished_at',
  );
  expect(plain.rows.slice(1).map((row) => row.slice(0, 7))).toEqual([
    ['"good", she said', 'new', 'line-2', output, 'ok', '', ''],
    ['two\r\nlines', '=1+1', 'line-3', '=2+2\n', 'ok', '', ''],
    ['bad', '', 'line-5', '', 'error', 'bad_item', 'bad_item, sadly'],
  ]);
  expect(plain.rows.slice(1).map((row) => row.slice(0, 2))).toEqual(rows.slice(1));

  const spread = await parsed({ flatten: true, only: 'ok' });
  expect(spread.rows.map((row) => row.slice(3, 7))).toEqual([
    ['output.label', 'output.scores.praise', 'output.n', 'output'],
    ['praise', '0.5', '9007199254740993', ''],
    ['', '', '', '=2+2\n'],
  ]);

  const excel = await parsed({ excel: true });
  expect(excel.text.startsWith('\ufeffreview,status,id,')).toBe(true);
  expect(excel.text.replaceAll(/"(?:[^"]|"")*"/g, '')).not.toMatch(/[^\r]\n/);
  expect(excel.rows[2]?.slice(0, 4)).toEqual(['two\r\nlines', "'=1+1", 'line-3', "'=2+2\n"]);
});

it('refuses to join files that are not those of the job', async () => {
  const path = join(testFolder(), 'out.csv');
  const job = await pool.submit(await inputOf({ 'a.jsonl': lines('a', 'b') }));
  await pool.end({ a: '1', b: '2' });
  const other = await inputOf({ 'b.jsonl': lines('a', 'c') });
  const outcomes = await writing(job, path, { format: 'csv', join: other });
  await expect(outcomes.done).rejects.toThrow('The input has no record with the id "b"');
  expect(existsSync(path)).toBe(false);
});

it('joins records of JSON as they are written', async () => {
  const path = join(testFolder(), 'out.jsonl');
  const input = await inputOf({ 'a.json': '[{"id":9007199254740993,"x":1.0}, "t"]' });
  const job = await pool.submit(input);
  await pool.end({ '9007199254740993': '{"a":{"b":1.0},"c":[1]}', 'item-2': 'null' });
  const outcomes = await writing(job, path, { join: input, flatten: true });
  await outcomes.done;
  const [first, second] = outcomes.text().split('\n');
  expect(first).toMatch(
    /^\{"id":"9007199254740993","input":\{"id":9007199254740993,"x":1\.0\},"status":"ok","output\.a\.b":1\.0,"output\.c":\[1\],/,
  );
  expect(second).toMatch(/^\{"id":"item-2","input":"t","status":"ok","output":null,/);
});

it('keeps what was written when the disk is full, and continues when there is space', async ({ skip }) => {
  const folder = testFolder();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
  if (!mounted) skip('needs permission to mount a small disk: run it as root on Linux');
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  const path = join(folder, 'out.jsonl');
  const job = await pool.submit(await inputOf({ 'a.jsonl': lines('a', 'b', 'c') }));
  await pool.end({ a: '1' });
  const filler = join(folder, 'filler');
  writeFileSync(filler, 'x'.repeat(40 * 1024));
  const first = await writing(job, path);
  await until(() => first.ids(`${path}.part`).length === 1);
  await pool.end({ b: JSON.stringify('y'.repeat(30 * 1024)) });
  await expect(first.done).rejects.toMatchObject({
    exitCode: EXIT.unavailable,
    message: expect.stringMatching(
      /^The disk is full\. The outcomes so far are in .*out\.jsonl\.part\. Free some space/,
    ),
  });
  rmSync(filler);
  await pool.end({ c: '3' });
  const second = await writing(job, path);
  await second.done;
  expect(second.ids()).toEqual(['a', 'b', 'c']);
});

it('never writes through a file that is not its own draft', async () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'out.csv.part'), 'precious');
  await expect(outputTarget(join(folder, 'out.csv'), [])).rejects.toThrow('a file that is not from macbatch');
  mkdirSync(join(folder, 'x'));
  await expect(outputTarget(join(folder, 'x'), [])).rejects.toThrow('is a folder');
});
