import { expect, it } from 'vitest';
import { completed, fileApp } from '../testing/file-app.ts';

const control = fileApp();

/** Reads results, each as `seq id status`. */
async function results(query: string): Promise<string[]> {
  const listed = await control.send('GET', '/v1/jobs');
  const { jobs } = (await listed.json()) as { readonly jobs: readonly { readonly id: string }[] };
  const response = await control.send('GET', `/v1/jobs/${jobs[0]?.id}/results${query}`);
  expect(response.status).toBe(200);
  return (await response.text())
    .split('\n')
    .slice(0, -1)
    .map((text) => {
      expect(text).toMatch(query.includes('after') ? /^\{"seq":\d+,"leased_at":"[^"]+Z","id":/ : /^\{"id":/);
      const { seq, id, status } = JSON.parse(text) as Readonly<Record<string, unknown>>;
      return `${seq} ${id} ${status}`;
    });
}

it('reads the outcomes behind a position, and stops before the first open item', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const tasks = await control.leased(ids);
  const reported = tasks.filter(({ items }) => items[0]?.item_id !== 'c');
  await control.report(reported.map((task) => completed(task)));
  expect(await results('')).toEqual(['a', 'b', 'd', 'e'].map((id) => `undefined ${id} ok`));
  expect(await results('?after=-1')).toEqual(['0 a ok', '1 b ok', '3 d ok', '4 e ok']);
  expect(await results('?after=-1&until_open=true')).toEqual(['0 a ok', '1 b ok']);
  expect(await results('?after=0&until_open=true')).toEqual(['1 b ok']);
  expect(await results('?after=1&until_open=true')).toEqual([]);
  expect(await results('?after=2&until_open=true')).toEqual(['3 d ok', '4 e ok']);
  expect(await results('?after=4')).toEqual([]);
  expect(await results('?after=9007199254740991')).toEqual([]);
  expect(await results('?after=-1&until_open=true&status=error')).toEqual([]);
});

it('A3: refuses a position below -1 and one that is not whole', async () => {
  const [task] = await control.leased(['a']);
  expect(task).toBeDefined();
  const listed = await control.send('GET', '/v1/jobs');
  const { jobs } = (await listed.json()) as { readonly jobs: readonly { readonly id: string }[] };
  for (const query of ['after=-2', 'after=1.5', 'after=x', 'until_open=maybe'])
    expect(
      (await control.refused(() => control.send('GET', `/v1/jobs/${jobs[0]?.id}/results?${query}`))).code,
    ).toBe('invalid_field');
});

it('reads an unbroken run of outcomes over several pages', async () => {
  const count = 2500;
  const ids = Array.from({ length: count }, (_, n) => `i${n}`);
  const tasks = await control.leased(ids, 10, 500);
  await control.report(tasks.map((task) => completed(task)));
  expect(await results('?after=10&until_open=true')).toHaveLength(count - 11);
});
