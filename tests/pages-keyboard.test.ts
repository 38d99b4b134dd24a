import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowserOnDemand, live, openTab } from './testing/browser.ts';
import { ScriptedMac, submitItems } from './testing/scripted-mac.ts';

/** More than any page has between two places that a test goes to. */
const MAX_TABS = 60;

/** A script that updates the page and waits until it shows the update. */
const UPDATE = `new Promise((resolve) => {
  document.addEventListener('htmx:after:swap', () => resolve(), { once: true });
  htmx.trigger('#main', 'refresh');
})`;

const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => node === node.ownerDocument.activeElement);

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if (await hasFocus(element)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the tab key does not reach ${element}`);
}

describeInBrowserOnDemand('the pages with a keyboard', (pool) => {
  it('open a job and cancel it by keys alone', async () => {
    const { client } = pool.control;
    const id = await submitItems(client, { name: 'keys.csv', model: 'none', items: ['a', 'b'] });
    const page = await openTab(pool);
    await page.goto('/');
    await live(page);
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    expect(await hasFocus(skip)).toBe(true);
    expect(await skip.evaluate((node) => node.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    expect(await hasFocus(page.locator('#main'))).toBe(true);
    await page.keyboard.press('/');
    expect(await hasFocus(page.getByRole('searchbox', { name: 'Name or id' }))).toBe(true);

    await tabTo(page, page.getByRole('link', { name: 'keys.csv' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(`/jobs/${id}`);
    await tabTo(page, page.getByRole('link', { name: 'Cancel…' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(`/jobs/${id}/cancel`);
    await tabTo(page, page.getByRole('button', { name: 'Cancel the job and its 2 open items' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(`/jobs/${id}`);
    await page.getByRole('heading', { name: 'keys.csv' }).getByText('cancelled').waitFor();
    expect(await client.call('readJob', { params: { id } })).toMatchObject({ state: 'cancelled' });
  });

  it('keep the focus and what a reader types while they are updated', async () => {
    const { client } = pool.control;
    const items = Array.from({ length: 10 }, (_, n) => `i${n}`);
    await submitItems(client, { name: 'watched.csv', model: 'watched', items });
    const mac = new ScriptedMac(client, 'watcher', 'watched');
    const page = await openTab(pool);
    await page.goto('/');
    await live(page);
    const row = page.getByRole('row', { name: 'watched.csv' });

    const filter = page.getByRole('searchbox', { name: 'Name or id' });
    await filter.pressSequentially('wat');
    await mac.run(1);
    await row.getByText('1 of 10').waitFor();
    expect(await hasFocus(filter)).toBe(true);
    await page.keyboard.type('ched');
    expect(await filter.inputValue()).toBe('watched');

    const link = row.getByRole('link', { name: 'watched.csv' });
    await link.focus();
    for (let update = 0; update < 20; update += 1) {
      if (update % 4 === 0) await mac.run(1);
      // A new job moves the row.
      if (update % 4 === 2)
        await submitItems(client, { name: `new-${update}.csv`, model: 'none', items: ['a'] });
      await page.evaluate(UPDATE);
      expect(await hasFocus(link)).toBe(true);
    }
    await row.getByText('6 of 10').waitFor();
    expect(await filter.inputValue()).toBe('watched');
    expect(await page.locator('#announcer').textContent()).toContain('Macs working');
  });
});
