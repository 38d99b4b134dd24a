import { NOT_LOADED, type ServiceState } from '../service-state.ts';

/**
 * Reads the output of `launchctl print DOMAIN/LABEL`. The first line of each name counts: nested blocks repeat names.
 * Apple does not document the format, so a line that is missing or strange counts as unknown.
 */
export function parsePrint(output: string): ServiceState {
  const lineOf = (name: string) => new RegExp(`^\\s*${name} = (.*)$`, 'm').exec(output)?.[1]?.trim();
  const state = lineOf('state');
  const pid = numberOf(lineOf('pid'));
  return {
    ...NOT_LOADED,
    loaded: true,
    // "running" without a process id is shown for a service that waits.
    running: state === 'running' && pid !== null,
    pid,
    starts: numberOf(lineOf('runs')),
    exitCode: numberOf(lineOf('last exit code')),
    signal: numberOf(/: (\d+)$/.exec(lineOf('last terminating signal') ?? '')?.[1]),
    restarting: state === 'spawn scheduled',
  };
}

/** The longest number that a process id, a count or an exit code can have. */
const MAX_DIGITS = 10;

function numberOf(text: string | undefined): number | null {
  const digits = /^(\d+)(?![\w.])/.exec(text ?? '')?.[1];
  return digits === undefined || digits.length > MAX_DIGITS ? null : Number(digits);
}

/** Reads from the output of `launchctl print-disabled DOMAIN` whether a person switched the service off. */
export function isSwitchedOff(output: string, label: string): boolean {
  return output.split('\n').some((line) => {
    const [, name, value] = /^\s*"(.*)" => (\w+)\s*$/.exec(line) ?? [];
    // Older releases of macOS print true.
    return name === label && (value === 'disabled' || value === 'true');
  });
}
