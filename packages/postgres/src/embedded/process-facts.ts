import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SERVER_ENVIRONMENT } from './server-environment.ts';

/** Facts that distinguish a process from a later process with the same pid. */
export interface ProcessFacts {
  /** Start time, comparable for equality only. Contains no space and no slash. */
  readonly started: string;
  /** The command line, with spaces between its words. */
  readonly command: string;
}

const run = promisify(execFile);

/** Returns the facts of a process, or undefined if there is none. A zombie counts as none. */
export async function processFacts(pid: number): Promise<ProcessFacts | undefined> {
  return process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid);
}

async function fromProc(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const [stat, command, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The second field is the program's name in parentheses and may contain spaces, so count from its end.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTicks = rest[18];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
    return { started: `${boot.slice(0, 8)}.${startTicks}`, command: command.replaceAll('\0', ' ').trim() };
  } catch {
    return undefined;
  }
}

async function fromPs(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'state=,lstart=,command=', '-p', String(pid)], {
      env: SERVER_ENVIRONMENT,
    });
    return parsePsLine(stdout);
  } catch {
    return undefined;
  }
}

/**
 * Parses a line of `ps -o state=,lstart=,command=`, such as
 * `Ss   Sun Nov 29 14:09:53 2026     postgres -D /data`.
 */
export function parsePsLine(line: string): ProcessFacts | undefined {
  const [, state, started, command] = /^\s*(\S+)\s+((?:\S+\s+){4}\S+)\s+(.*?)\s*$/s.exec(line) ?? [];
  if (state === undefined || started === undefined || command === undefined) return undefined;
  return state.startsWith('Z') ? undefined : { started: started.split(/\s+/).join('.'), command };
}
