import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowserOnDemand, live, openTab } from './testing/browser.ts';
import { ScriptedMac, submitItems } from './testing/scripted-mac.ts';

/** Widths of the window in CSS pixels. Each costs as much time as the first. */
const WIDTHS = (process.env['MACBATCH_PAGE_WIDTHS'] ?? '1280').split(',').map(Number);
/** All but the colours is the same in both themes. */
const THEMES = [
  { colorScheme: 'light', rules: [] },
  { colorScheme: 'dark', rules: ['color-contrast'] },
] as const;

/** Returns what axe finds on the open page, each with an element. Without rules, all are checked. */
function axeFaults(page: Page, rules: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules.length === 0 ? {} : { runOnly: rules }) };
  return page.evaluate<string[]>(`axe
    .run(${JSON.stringify(options)})
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0]?.html))`);
}

/** Shows a page in the document that is open: to load one takes as long as all the checks of axe. */
async function showWithoutScripts(page: Page, path: string): Promise<void> {
  await page.evaluate(`(async () => {
    const html = await (await fetch(${JSON.stringify(path)})).text();
    const parsed = new DOMParser().parseFromString(html, 'text/html');
    document.replaceChild(document.adoptNode(parsed.documentElement), document.documentElement);
    const sheets = [...document.querySelectorAll('link[rel=stylesheet]')];
    await Promise.all(
      sheets.map((link) => link.sheet ?? new Promise((loaded) => link.addEventListener('load', loaded))),
    );
  })()`);
}

describeInBrowserOnDemand('the pages for everyone', (pool) => {
  /** Opens a tab with axe in each page. */
  async function openAxeTab(): Promise<Page> {
    const page = await openTab(pool, { expectedErrors: /\/nowhere: .* 404/ });
    await page.addInitScript(axe.source);
    return page;
  }

  /**
   * Opens pages one after the other, those in `shown` without their scripts. Returns what axe finds on each in both
   * themes.
   */
  async function faultsOf(
    page: Page,
    opened: readonly string[],
    shown: readonly string[] = [],
  ): Promise<string[]> {
    const faults: string[] = [];
    for (const path of [...opened, ...shown]) {
      if (shown.includes(path)) await showWithoutScripts(page, path);
      else {
        await page.goto(path);
        if ((await page.locator('#live').count()) > 0) await live(page);
      }
      const regions = await page.locator('[aria-live], [role=status], [role=alert], [role=log]').count();
      if (regions > 1) faults.push(`${path}: ${regions} live regions`);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        for (const { colorScheme, rules } of THEMES) {
          await page.emulateMedia({ colorScheme });
          for (const fault of await axeFaults(page, rules))
            faults.push(`${path} ${colorScheme} ${width}: ${fault}`);
        }
      }
    }
    return faults;
  }

  it('axe finds nothing on the pages of an empty pool', async () => {
    const page = await openAxeTab();
    expect(await faultsOf(page, ['/'], ['/macs', '/throughput', '/events', '/admin'])).toEqual([]);
  });

  it('axe finds nothing on any page of a pool in use', async () => {
    const { client } = pool.control;
    const mac = new ScriptedMac(client, 'studio', 'qwen3');
    const names = Array.from({ length: 20 }, (_, n) => `item-${n}`);
    const ended = await submitItems(client, { name: 'reviews.csv', model: 'qwen3', items: names });
    await mac.run(20, (id) => (id.endsWith('7') ? { code: 'too_long', message: `${id} is too long` } : null));
    const open = await submitItems(client, { name: 'tickets.csv', model: 'qwen3', items: names });
    await mac.run(5);
    await mac.lease(3);
    await new ScriptedMac(client, 'paused', 'qwen3').heartbeat();
    await client.call('pauseWorker', { params: { id: 'paused' }, body: { drain: false, reason: 'a talk' } });
    await new ScriptedMac(client, 'old', 'qwen3').heartbeat({
      models: [],
      troubles: [
        {
          job_type: 'chat',
          model: 'qwen3',
          endpoint: '127.0.0.1:11434',
          code: 'model_not_found',
          message: 'model "qwen3" not found',
          since_seconds: 60,
          next_try_seconds: 20,
        },
      ],
    });
    const page = await openAxeTab();
    expect(
      await faultsOf(
        page,
        ['/', `/jobs/${open}`, `/jobs/${ended}`, '/macs', '/throughput', '/nowhere', '/admin'],
        [
          '/?q=nothing',
          `/jobs/${open}/cancel`,
          `/jobs/${ended}/retry`,
          `/jobs/${ended}/items`,
          `/jobs/${ended}/items/7`,
          '/macs/studio',
          '/macs/old',
          '/macs/paused',
          '/macs/studio/pause',
          '/macs/paused/resume',
          '/events',
          '/admin/keys/create',
          '/admin/invite',
          '/admin/prune',
          '/sign-in',
        ],
      ),
    ).toEqual([]);
  });
});
