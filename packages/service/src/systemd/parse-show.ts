import { NOT_LOADED, type ServiceState } from '../service-state.ts';

/** The properties that `parseShow` reads. */
export const PROPERTIES = [
  'LoadState',
  'ActiveState',
  'SubState',
  'MainPID',
  'NRestarts',
  'ExecMainCode',
  'ExecMainStatus',
  'Result',
  'UnitFileState',
] as const;

/** Values of `si_code` for a process that has ended. */
const EXITED = '1';
const KILLED = ['2', '3'];

/** Reads the output of `systemctl show`. A line that is missing counts as unknown. */
export function parseShow(output: string): ServiceState {
  const values = new Map(
    output.split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1).trim()] as const;
    }),
  );
  const numberOf = (name: (typeof PROPERTIES)[number]) => {
    const text = values.get(name) ?? '';
    return /^\d{1,10}$/.test(text) ? Number(text) : null;
  };
  const pid = numberOf('MainPID') === 0 ? null : numberOf('MainPID');
  const code = values.get('ExecMainCode') ?? '';
  const restarts = numberOf('NRestarts');
  return {
    ...NOT_LOADED,
    loaded: values.get('LoadState') === 'loaded',
    running: values.get('ActiveState') === 'active' && pid !== null,
    pid,
    starts: restarts === null ? null : restarts + 1,
    exitCode: code === EXITED ? numberOf('ExecMainStatus') : null,
    signal: KILLED.includes(code) ? numberOf('ExecMainStatus') : null,
    restarting: values.get('SubState') === 'auto-restart',
    gaveUp: values.get('Result') === 'start-limit-hit',
    switchedOff: ['disabled', 'masked'].includes(values.get('UnitFileState') ?? ''),
  };
}
