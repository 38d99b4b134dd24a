import { expect, it } from 'vitest';
import { RenderedOnce } from './rendered-once.ts';

it('renders once for all requests of a second, and again afterwards', async () => {
  let now = 0;
  let renders = 0;
  const rendered = new RenderedOnce(() => now);
  const render = async () => {
    renders += 1;
    return String(renders);
  };
  expect(await Promise.all([rendered.get('a', render), rendered.get('a', render)])).toEqual(['1', '1']);
  expect(await rendered.get('b', render)).toBe('2');
  now = 999;
  expect(await rendered.get('a', render)).toBe('1');
  now = 1000;
  expect(await rendered.get('a', render)).toBe('3');
});

it('does not share an error', async () => {
  const rendered = new RenderedOnce(() => 0);
  await expect(rendered.get('a', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(await rendered.get('a', async () => 'found')).toBe('found');
});

it('forgets once for each reading of changes, however many streams tell of it', async () => {
  let renders = 0;
  const rendered = new RenderedOnce(() => 0);
  const shown = () =>
    rendered.get('a', async () => {
      renders += 1;
      return String(renders);
    });
  const seen: string[] = [];
  for (const reading of ['1', '1', undefined, '2', '2']) {
    rendered.clearAt(reading);
    seen.push(await shown());
  }
  expect(seen).toEqual(['1', '1', '1', '2', '2']);
});
