import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NOT_LOADED, type ServiceState } from '../service-state.ts';
import { parseShow } from './parse-show.ts';

it.each<[string, string, Partial<ServiceState>]>([
  [
    'a worker that runs',
    'LoadState=loaded\nActiveState=active\nSubState=running\nMainPID=42\nNRestarts=1\nExecMainCode=0\nExecMainStatus=0\nResult=success\nUnitFileState=enabled',
    { loaded: true, running: true, pid: 42, starts: 2 },
  ],
  [
    'a worker that waits for its restart',
    'LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nMainPID=0\nExecMainCode=1\nExecMainStatus=78\nResult=exit-code',
    { loaded: true, restarting: true, exitCode: 78 },
  ],
  [
    'a worker that failed too often',
    'LoadState=loaded\nActiveState=failed\nSubState=failed\nMainPID=0\nExecMainCode=2\nExecMainStatus=9\nResult=start-limit-hit\nUnitFileState=disabled',
    { loaded: true, gaveUp: true, signal: 9, switchedOff: true },
  ],
  ['no unit', 'LoadState=not-found\nActiveState=inactive\nMainPID=0', {}],
  ['nothing', '', {}],
  ['strange numbers', 'MainPID=12345678901234567890\nNRestarts=-1\nExecMainCode=1\nExecMainStatus=x', {}],
])('reads what systemctl shows for %s', (_, output, state) => {
  expect(parseShow(output)).toEqual({ ...NOT_LOADED, ...state });
});

it('throws for no text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseShow(text)));
});
