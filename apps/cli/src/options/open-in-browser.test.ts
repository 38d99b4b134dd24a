import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { testFolder, until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { openInBrowser } from './open-in-browser.ts';

it('starts the program of the system with the address', async () => {
  const folder = testFolder();
  const opened = join(folder, 'opened');
  for (const name of ['open', 'xdg-open']) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const path = [folder, process.env['PATH']].join(delimiter);
  expect(await openInBrowser('http://127.0.0.1:7420', { PATH: path })).toBeNull();
  await until(() => {
    try {
      return readFileSync(opened, 'utf8') === 'http://127.0.0.1:7420';
    } catch {
      return false;
    }
  });
});

it('says which program is missing', async () => {
  expect(await openInBrowser('http://127.0.0.1:7420', { PATH: testFolder() })).toMatch(
    /^(xdg-)?open is not installed$/,
  );
});
