import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('young-generation.fixture.ts', import.meta.url));
const youngMegabytes = (...args: readonly string[]) =>
  Number(execFileSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' }));

it('limitYoungGeneration: keeps V8 from growing the young generation further', () => {
  expect(youngMegabytes()).toBeGreaterThan(16);
  expect(youngMegabytes('8')).toBeLessThanOrEqual(16);
});
