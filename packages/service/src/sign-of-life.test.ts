import fc from 'fast-check';
import { expect, it } from 'vitest';
import { logText } from './log-lines.ts';
import { type SignOfLife, signOfLife } from './sign-of-life.ts';

const BOOT = '{"boot":{"boot_id":"b"}}';
const RUNNING = '{"event":"worker.running"}';
const FAILED = '{"event":"worker.failed","error":"This key was revoked."}';
const UNANSWERED = '{"event":"heartbeat.failed","reason":"refused"}';

it.each<[string[], SignOfLife | null]>([
  [[], null],
  [['half a li', 'null', '[]'], null],
  [[BOOT], { kind: 'unanswered', problem: null }],
  [[BOOT, UNANSWERED], { kind: 'unanswered', problem: 'refused' }],
  [[BOOT, UNANSWERED, RUNNING], { kind: 'alive' }],
  [[BOOT, RUNNING, FAILED], { kind: 'failed', reason: 'This key was revoked.' }],
  [[BOOT, RUNNING, FAILED, BOOT], { kind: 'unanswered', problem: null }],
])('judges the log %j', (lines, sign) => {
  expect(signOfLife(lines)).toEqual(sign);
});

it('shows a line of the log to people without what controls a terminal', () => {
  expect(
    logText('{"level":"warn","time":"T","program":"worker","event":"a.b","n":1,"text":"x\\u001b[2J"}'),
  ).toBe('T ! a.b n=1 text=x\ufffd[2J');
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (line) => !/\p{Cc}/u.test(logText(line))));
  fc.assert(fc.property(fc.json(), (line) => !/\p{Cc}/u.test(logText(line))));
});
