import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NOT_LOADED } from '../service-state.ts';
import { isSwitchedOff, parsePrint } from './parse-print.ts';

const RUNNING = `gui/501/dev.macbatch.worker = {
\tactive count = 1
\tpath = /Users/ann/Library/LaunchAgents/dev.macbatch.worker.plist
\ttype = LaunchAgent
\tstate = running

\tprogram = /Users/ann/.macbatch/bin/macbatch-worker
\tdomain = gui/501 [100005]
\tminimum runtime = 30
\texit timeout = 30
\truns = 1
\tpid = 4242
\timmediate reason = inefficient
\tlast exit code = (never exited)

\tspawn type = interactive (4)
\tendpoints = {
\t\t"x" = {
\t\t\tstate = 0
\t\t\tpid = 7
\t\t}
\t}
}
`;

it.each<[string, string, Partial<ReturnType<typeof parsePrint>>]>([
  ['a worker that runs', RUNNING, { running: true, pid: 4242, starts: 1, exitCode: null }],
  [
    'a crash loop',
    '\tstate = spawn scheduled\n\truns = 137\n\tlast exit code = 78: EX_CONFIG\n',
    { running: false, restarting: true, starts: 137, exitCode: 78 },
  ],
  [
    'a killed worker',
    '\tstate = not running\n\truns = 2\n\tlast terminating signal = Killed: 9\n',
    { running: false, starts: 2, signal: 9 },
  ],
  ['a state without a process', '\tstate = running\n\truns = 3\n', { running: false, starts: 3 }],
  ['a number that is too long', '\tstate = running\n\tpid = 12345678901234567890\n', { running: false }],
  ['an empty text', '', {}],
  ['another language', '\tZustand = läuft\n', {}],
])('reads what launchctl prints for %s', (_, output, state) => {
  expect(parsePrint(output)).toEqual({ ...NOT_LOADED, loaded: true, ...state });
});

it('reads a text that was cut off anywhere', () => {
  for (let at = 0; at <= RUNNING.length; at += 1) {
    const { pid, running } = parsePrint(RUNNING.slice(0, at));
    expect(running).toBe(pid !== null);
    expect(String(pid === null ? '4242' : pid)).toMatch(/^4(2(42?)?)?$/);
  }
});

it.each<[string, boolean]>([
  ['\t\t"dev.macbatch.worker" => disabled\n', true],
  ['\t\t"dev.macbatch.worker" => true\n', true],
  ['\t\t"dev.macbatch.worker" => enabled\n', false],
  ['\t\t"dev.macbatch.worker.other" => disabled\n', false],
  ['', false],
])('reads whether the service is switched off in %j', (lines, off) => {
  expect(isSwitchedOff(`disabled services = {\n${lines}}\n`, 'dev.macbatch.worker')).toBe(off);
});

it('throws for no text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      parsePrint(text);
      isSwitchedOff(text, 'dev.macbatch.worker');
    }),
  );
});
