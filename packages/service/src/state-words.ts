import { constants } from 'node:os';
import type { ServiceState } from './service-state.ts';

/** Codes of sysexits.h and of shells, in words. */
const EXIT_WORDS: Readonly<Record<number, string>> = {
  0: 'ended by itself',
  1: 'failed',
  2: 'wrong arguments',
  70: 'internal error',
  71: 'an error of the system',
  78: 'its configuration cannot work, or no Node was found',
  126: 'the launcher is not executable',
  127: 'a program was not found',
};

/** Exit codes above this one are shells' words for a signal. */
const SIGNAL_BASE = 128;

/** Says how the last process of the service ended; null if it has not ended or nobody knows. */
export function lastExitText({ exitCode, signal }: Pick<ServiceState, 'exitCode' | 'signal'>): string | null {
  const number = signal ?? (exitCode !== null && exitCode > SIGNAL_BASE ? exitCode - SIGNAL_BASE : null);
  if (number !== null) {
    const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
    if (name !== undefined || signal !== null) return `killed by ${name ?? `signal ${number}`}`;
  }
  if (exitCode === null) return null;
  const words = EXIT_WORDS[exitCode];
  return words === undefined ? `exit code ${exitCode}` : `exit code ${exitCode}: ${words}`;
}

/** Says in one word, or a few, what the service does. */
export function serviceStateText(state: ServiceState): string {
  if (state.running) return state.pid === null ? 'running' : `running as process ${state.pid}`;
  if (state.gaveUp) return 'failed too often: it is not started again';
  if (state.restarting) return 'failed: it will be started again';
  if (!state.loaded) return 'stopped';
  return 'not running';
}
