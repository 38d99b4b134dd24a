import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('the installed drizzle-orm has few exports, which Node parses once per module', () => {
  const index = fileURLToPath(import.meta.resolve('drizzle-orm'));
  const manifest = readFileSync(index.replace(/index\.js$/, 'package.json'), 'utf8');
  const { exports } = JSON.parse(manifest) as { readonly exports: object };
  expect(Object.keys(exports).length).toBeLessThan(20);
});
