import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { describeInBrowser, live, openTab } from './testing/browser.ts';
import { command } from './testing/command.ts';
import { startControl } from './testing/pool.ts';
import { ScriptedMac, submitItems } from './testing/scripted-mac.ts';

describeInBrowser('the pages in a browser', (pool) => {
  it('show a first visitor how to begin, and times in the zone of the browser', async () => {
    const page = await openTab(pool, { timezoneId: 'Asia/Tokyo' });
    await page.goto('/');
    await page.getByRole('heading', { name: 'No job yet' }).waitFor();
    await page.getByText('macbatch submit reviews.csv').waitFor();
    await page.getByRole('button', { name: 'Copy' }).waitFor();
    await live(page);
    expect(await page.locator('#zone-name').textContent()).toBe('Asia/Tokyo');
    expect(await page.context().cookies()).toMatchObject([{ name: 'zone', value: 'Asia%2FTokyo' }]);

    // The answer of the server, before a script can change it.
    const answer = await page.reload();
    expect(await answer?.text()).toContain('<span id="zone-name">Asia/Tokyo</span>');
  });

  it('receive changes although scripts arrive late', async () => {
    const page = await openTab(pool);
    await page.route(/(hx-sse\.min|page)\.js$/, async (route) => {
      // The first script has run, and what it planned has happened.
      await page.waitForFunction(() => 'htmx' in globalThis);
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      await route.continue();
    });
    await page.goto('/');
    await live(page);
  });

  it('show a job that the command line submits, and its progress, without a reload', async () => {
    const { control } = pool;
    const page = await openTab(pool);
    await page.goto('/');
    await live(page);
    await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }));

    const folder = testFolder();
    const lines = Array.from({ length: 4 }, (_, n) => `${JSON.stringify({ id: `i${n}`, payload: n })}\n`);
    writeFileSync(join(folder, 'moving.jsonl'), lines.join(''));
    const submit = ['submit', 'moving.jsonl', '--type', 'noop', '--model', 'moving', '--shard-size', '1'];
    const submitted = await command(submit, { cwd: folder, env: { MACBATCH_URL: control.url } });
    expect(submitted).toMatchObject({ exit: 0 });

    const row = page.getByRole('row', { name: 'moving.jsonl' });
    await row.getByText('queued').waitFor();
    const mac = new ScriptedMac(control.client, 'mover', 'moving');
    await mac.run(1);
    await row.getByText('1 of 4').waitFor();
    await row.getByText('running').waitFor();
    await mac.run(3);
    await row.getByText('done').waitFor();
    await row.getByText('100 %', { exact: true }).waitFor();
    expect(await page.evaluate(() => 'isSameDocument' in globalThis)).toBe(true);
  });

  it('lead from a failing job to its group of failures and to the retry of the group', async () => {
    const { client } = pool.control;
    const mac = new ScriptedMac(client, 'breaker', 'breaking');
    const id = await submitItems(client, {
      name: 'failing.csv',
      model: 'breaking',
      items: ['a', 'b', 'c', 'd'],
    });
    await mac.run(4, (item) =>
      item === 'a'
        ? null
        : item === 'd'
          ? { code: 'too_long', message: 'no room' }
          : { code: 'broken', message: `item ${item.charCodeAt(0)} broke` },
    );

    const page = await openTab(pool);
    await page.goto('/');
    await page
      .getByRole('row', { name: 'failing.csv' })
      .getByRole('link', { name: '3', exact: true })
      .click();
    const failures = page.getByRole('region', { name: 'Table of failures' });
    const group = failures.getByRole('row', { name: 'broken' });
    await group.getByRole('link', { name: 'b', exact: true }).waitFor();
    await group.getByRole('link', { name: 'Retry 2 items…' }).click();
    await page.getByText(`macbatch retry ${id} --failure`).waitFor();
    await page.getByRole('button', { name: 'Retry 2 items of this group' }).click();

    await page.waitForURL(`/jobs/${id}`);
    await page.getByRole('link', { name: '2 open' }).waitFor();
    await failures.getByText('too_long').waitFor();
    expect(await group.count()).toBe(0);
    await live(page);
    await mac.run(2);
    await page.getByRole('heading', { name: 'failing.csv' }).getByText('done').waitFor();
    expect(await client.call('readJob', { params: { id } })).toMatchObject({ items: { ok: 3, error: 1 } });
  });

  it('keep their figures while the connection is lost, say since when, and recover', async () => {
    const control = await startControl();
    await submitItems(control.client, { name: 'kept.csv', model: 'kept', items: ['a', 'b'] });
    const page = await openTab(pool, { baseURL: control.url, expectedErrors: /./ });
    await page.goto('/');
    await live(page);
    const row = page.getByRole('row', { name: 'kept.csv' });
    await row.getByText('0 of 2').waitFor();

    control.program.kill('SIGTERM');
    await control.program.ended;
    const connection = page.locator('#connection-text');
    await connection.getByText(/^connection lost, as of \d\d:\d\d:\d\d$/).waitFor();
    expect(await row.getByText('0 of 2').isVisible()).toBe(true);

    await control.again();
    await new ScriptedMac(control.client, 'keeper', 'kept').run(1);
    await live(page);
    await row.getByText('1 of 2').waitFor();
  });
});
