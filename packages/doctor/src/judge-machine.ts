import { type Finding, finding } from './finding.ts';

const OLDEST_NODE = [22, 12] as const;
const GB = 1e9;
const FAIL_BYTES = 0.5 * GB;
const WARN_BYTES = 5 * GB;

export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return finding('node', 'ok', version);
  return finding(
    'node',
    'fail',
    `${version} is older than ${OLDEST_NODE.join('.')}`,
    `Install Node ${oldestMajor}.${oldestMinor} or newer.`,
  );
}

/** Judges the room that a worker's outbox has. */
export function judgeDisk(folder: string, freeBytes: number): Finding {
  const found = `${(freeBytes / GB).toFixed(1)} GB free for ${folder}`;
  if (freeBytes >= WARN_BYTES) return finding('disk', 'ok', found);
  return finding(
    'disk',
    freeBytes < FAIL_BYTES ? 'fail' : 'warn',
    `${found}: what a worker finishes is kept there until it is reported`,
    'Make room, or point MACBATCH_STATE_DIR to another disk.',
  );
}

/** Judges what `pmset -g` says of a Mac's sleep. */
export function judgeSleep(pmset: string): Finding {
  const [, digits, why] = /^ *sleep +(\d+)(?: +\((.*)\))?/m.exec(pmset) ?? [];
  if (digits === undefined) return finding('sleep', 'info', 'pmset does not say when this Mac sleeps');
  const minutes = Number(digits);
  if (minutes === 0) return finding('sleep', 'ok', 'this Mac does not sleep by itself');
  return finding(
    'sleep',
    'warn',
    `this Mac sleeps after ${minutes} min without anybody at it${why === undefined ? '' : ` (${why})`}: its leases then run out and others take its tasks`,
    'Run the worker under it: caffeinate -is macbatch worker; or, on mains: sudo pmset -c sleep 0',
  );
}
