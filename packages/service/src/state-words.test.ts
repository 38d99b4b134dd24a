import { expect, it } from 'vitest';
import { NOT_LOADED } from './service-state.ts';
import { lastExitText, serviceStateText } from './state-words.ts';

it.each([
  [{ exitCode: 0 }, 'exit code 0: ended by itself'],
  [{ exitCode: 78 }, 'exit code 78: its configuration cannot work, or no Node was found'],
  [{ exitCode: 5 }, 'exit code 5'],
  [{ exitCode: 137 }, 'killed by SIGKILL'],
  [{ exitCode: 200 }, 'exit code 200'],
  [{ signal: 9 }, 'killed by SIGKILL'],
  [{ signal: 99 }, 'killed by signal 99'],
  [{}, null],
])('says how a process ended: %j', (state, text) => {
  expect(lastExitText({ ...NOT_LOADED, ...state })).toBe(text);
});

it.each([
  [{ loaded: true, running: true, pid: 7 }, 'running as process 7'],
  [{ loaded: true, restarting: true }, 'failed: it will be started again'],
  [{ loaded: true, gaveUp: true }, 'failed too often: it is not started again'],
  [{ loaded: true }, 'not running'],
  [{}, 'stopped'],
])('says what the service does: %j', (state, text) => {
  expect(serviceStateText({ ...NOT_LOADED, ...state })).toBe(text);
});
