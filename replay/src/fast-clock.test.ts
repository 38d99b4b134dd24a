import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { fastProcessOptions } from './fast-time.ts';

const HOUR = 3_600_000;

/** Every way to wait for an hour, and what the clocks say then. */
const PROGRAM = `
  import { setTimeout as late } from 'node:timers';
  import { setTimeout as delay } from 'node:timers/promises';
  import { promisify } from 'node:util';
  const [date, monotonic] = [Date.now(), performance.now()];
  const signal = AbortSignal.timeout(${HOUR});
  await new Promise((resolve) => setTimeout(resolve, ${HOUR}));
  await new Promise((resolve) => late(resolve, ${HOUR}));
  await new Promise((resolve) => { const timer = setInterval(() => { clearInterval(timer); resolve(); }, ${HOUR}); });
  await delay(${HOUR});
  await promisify(setTimeout)(${HOUR});
  if (!signal.aborted) await new Promise((resolve) => { signal.onabort = resolve; });
  console.log(JSON.stringify({
    passed: Math.round((performance.now() - monotonic) / ${HOUR}) >= 5,
    agree: Math.abs(Date.now() - date - (performance.now() - monotonic)) < ${HOUR},
    made: Math.abs(new Date() - Date.now()) < ${HOUR},
    given: new Date(5).getTime(),
  }));`;

it('makes every clock and timer of a process fast before its own code is loaded', () => {
  const { execArgv, env } = fastProcessOptions({ factor: 100_000, epochMs: Date.now() });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...execArgv, '--input-type=module', '--eval', PROGRAM],
    { env, encoding: 'utf8', timeout: 30_000 },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ passed: true, agree: true, made: true, given: 5 });
});
