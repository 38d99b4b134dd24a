import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Registers a function that cleans up when a test, or all tests of a file, have ended. */
export type OnEnd = (cleanUp: () => PromiseLike<void> | void) => void;

/** Makes a folder, and removes it when the test has finished, or when `onEnd` says. */
export function testFolder(onEnd: OnEnd = onTestFinished): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'macbatch-test-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
