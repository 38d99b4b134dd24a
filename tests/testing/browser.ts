import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { type Control, startControl } from './pool.ts';

/** Long, because other tests run on the same processor. */
const TIMEOUT_MS = 90_000;

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const APPLICATIONS = ['Chromium', 'Google Chrome'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

/** Finds Chromium on this machine. Returns undefined if it is not installed. */
function findChromium(): string | undefined {
  const { MACBATCH_CHROMIUM: chosen, PATH: path = '' } = process.env;
  if (chosen !== undefined && chosen !== '') return chosen;
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...APPLICATIONS].find(
    (program) => {
      try {
        accessSync(program, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    },
  );
}

const program = findChromium();

/** A control plane and a browser that the tests of a file share. */
export interface BrowsedPool {
  readonly control: Control;
  readonly browser: Browser;
}

/** The flows that `npm test` runs take a minute of CPU time; all take three. */
const runsAll = process.env['MACBATCH_BROWSER_TESTS'] === 'all';

/** As `describeInBrowser`, for tests that run only when somebody wants all of them. */
export const describeInBrowserOnDemand: typeof describeInBrowser = (name, tests, env) =>
  runsAll
    ? describeInBrowser(name, tests, env)
    : describe.skip(`${name} (needs MACBATCH_BROWSER_TESTS=all: they take two minutes of CPU time)`, () => {
        tests({
          get control(): Control {
            throw new Error('skipped');
          },
          get browser(): Browser {
            throw new Error('skipped');
          },
        });
      });

/** Runs the tests of a file with a control plane and a browser. Skips them if there is no Chromium. */
export function describeInBrowser(
  name: string,
  tests: (pool: BrowsedPool) => void,
  env: Readonly<Record<string, string>> = {},
): void {
  describe.skipIf(program === undefined)(
    `${name} (needs Chromium: apt-get install chromium / brew install --cask chromium)`,
    () => {
      const ends = new AsyncDisposableStack();
      let opened: BrowsedPool | undefined;
      const pool = (): BrowsedPool => {
        if (opened === undefined) throw new Error('The browser opens only when the tests begin.');
        return opened;
      };
      beforeAll(async () => {
        const [control, browser] = await Promise.all([
          startControl(env, (cleanUp) => ends.defer(cleanUp)),
          chromium.launch({
            ...(program === undefined ? {} : { executablePath: program }),
            // Root cannot use the sandbox. The browser loads nothing but our own pages.
            chromiumSandbox: false,
          }),
        ]);
        ends.defer(() => browser.close());
        opened = { control, browser };
      });
      afterAll(() => ends.disposeAsync());
      tests({
        get control() {
          return pool().control;
        },
        get browser() {
          return pool().browser;
        },
      });
    },
  );
}

export interface TabOptions extends BrowserContextOptions {
  /** Errors of the console that the test causes. */
  readonly expectedErrors?: RegExp;
}

/**
 * Opens a tab of a browser of its own, without cookies. It is closed when the test has finished, and the test fails if
 * the console of the tab shows an error, such as a violation of the content security policy.
 */
export async function openTab(
  { control, browser }: BrowsedPool,
  { expectedErrors, ...options }: TabOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL: control.url, ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  const add = (text: string) => {
    if (expectedErrors?.test(text) !== true) errors.push(text);
  };
  page.on('console', (message) => {
    if (message.type() === 'error') add(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => add(`${page.url()}: ${error.message}`));
  onTestFinished(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  return page;
}

/** Waits until the page says that it receives changes. */
export async function live(page: Page): Promise<void> {
  await page.locator('#connection-text', { hasText: /^live$/ }).waitFor();
}
