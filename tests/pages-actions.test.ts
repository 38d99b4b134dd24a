import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { describeInBrowserOnDemand, live, openTab } from './testing/browser.ts';
import { startControl } from './testing/pool.ts';
import { ScriptedMac, submitItems } from './testing/scripted-mac.ts';

const MILLION = 1_000_000;

describeInBrowserOnDemand('the pages in use', (pool) => {
  /** Changes rows of the control plane's database. */
  async function changeRows(change: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
    const sql = postgres(pool.control.databaseUrl, { max: 1 });
    await change(sql).finally(() => sql.end());
  }

  it('cancel, retry and download without JavaScript', async () => {
    const { client } = pool.control;
    const mac = new ScriptedMac(client, 'plain', 'plain');
    const id = await submitItems(client, { name: 'plain.csv', model: 'plain', items: ['a', 'b'] });
    await mac.run(2, (item) => (item === 'a' ? null : { code: 'broken', message: 'it broke' }));
    const page = await openTab(pool, { javaScriptEnabled: false });
    await page.goto('/');
    await page.getByRole('link', { name: 'plain.csv' }).click();

    const downloads = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download JSONL' }).click();
    const lines = readFileSync(await (await downloads).path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'a', status: 'ok' },
      { id: 'b', error: { code: 'broken' } },
    ]);

    await page.getByRole('link', { name: 'Retry 1 failed…' }).click();
    await page.getByRole('button', { name: 'Retry all 1 failed item' }).click();
    await page.waitForURL(`/jobs/${id}`);
    await page.getByRole('link', { name: 'Cancel…' }).click();
    await page.getByRole('button', { name: 'Cancel the job and its 1 open item' }).click();
    await page.getByRole('heading', { name: 'plain.csv' }).getByText('cancelled').waitFor();
  });

  it('say that a Mac has fallen silent', async () => {
    await new ScriptedMac(pool.control.client, 'sleeper', 'sleeping').heartbeat();
    const page = await openTab(pool);
    await page.goto('/macs');
    await live(page);
    const row = page.getByRole('row', { name: 'sleeper' });
    await row.getByText('idle').waitFor();
    await changeRows(
      (sql) => sql`update workers set last_heartbeat_at = now() - interval '10 minutes' where id = 'sleeper'`,
    );
    await row.getByText('silent').waitFor();
    await row.getByText('no heartbeat for 10 min').waitFor();
  });

  it('show a job of a million items, its progress, and its items page by page', async () => {
    const { client } = pool.control;
    const mac = new ScriptedMac(client, 'giant', 'giant');
    const items = Array.from({ length: 150 }, (_, n) => `item-${n}`);
    const id = await submitItems(client, { name: 'giant.csv', model: 'giant', items });
    // The counts of a million items, and the items that this test looks at.
    await changeRows((sql) =>
      sql.begin(async (tx) => {
        await tx`update jobs set item_count = ${MILLION}, task_count = ${MILLION} where id = ${id}`;
        await tx`update job_tallies set pending = pending + ${MILLION - 150} where job_id = ${id} and worker_id = ''`;
        await tx`insert into items (job_id, seq, item_id, payload)
          select ${id}::uuid, seq, 'item-' || seq, '1' from generate_series(${MILLION - 50}::int, ${MILLION - 1}::int) as seq`;
      }),
    );
    const page = await openTab(pool);
    await page.goto(`/jobs/${id}`);
    await live(page);
    await page.getByRole('link', { name: '0 of 1,000,000 items' }).waitFor();
    await mac.run(2);
    await page.getByRole('link', { name: '2 of 1,000,000 items' }).click();
    await page.getByRole('row', { name: 'item-99' }).waitFor();
    await page.getByRole('link', { name: 'Next items' }).click();
    await page.getByRole('row', { name: 'item-149' }).waitFor();
    await page.goBack();
    await page.getByRole('row', { name: 'item-99' }).waitFor();
    await page.goto(`/jobs/${id}/items?after=${MILLION - 51}`);
    await page.getByRole('row', { name: `item-${MILLION - 1}` }).waitFor();
    await page.getByRole('link', { name: 'First' }).click();
    await page.getByRole('link', { name: 'item-0', exact: true }).waitFor();
  });

  it('exchange a key for a session, and end the session', async () => {
    const control = await startControl();
    const { key } = await control.client.call('createKey', { body: { name: 'ops', role: 'admin' } });
    const page = await openTab(pool, { baseURL: control.url, expectedErrors: / 401 / });
    await page.goto('/macs');
    await page.waitForURL('/sign-in?next=%2Fmacs');
    await page.getByLabel('Key').fill('no key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This is not a key.').waitFor();
    await page.getByLabel('Key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('/macs');
    await live(page);
    const cookies = await page.context().cookies();
    const session = cookies.find(({ name }) => name === 'macbatch_session');
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(JSON.stringify(cookies)).not.toContain(key);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('/sign-in');
    await page.goto('/admin');
    await page.waitForURL('/sign-in?next=%2Fadmin');
    expect(control.program.stdout()).not.toContain(key);
  });
});
