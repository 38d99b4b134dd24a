import { expect, it } from 'vitest';
import { describeInBrowser, live, openTab } from './testing/browser.ts';

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
});
