import { type Finding, finding } from './finding.ts';

/** The oldest version of Node that the published packages support, as in their `engines`. */
export const OLDEST_NODE = [22, 19] as const;
const GB = 1e9;
const FAIL_BELOW_BYTES = 0.5 * GB;
const WARN_BELOW_BYTES = 5 * GB;

/** Checks the version of Node. */
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

/** Checks the free disk space for a worker's outbox. */
export function judgeDisk(folder: string, freeBytes: number): Finding {
  const found = `${(freeBytes / GB).toFixed(1)} GB free for ${folder}`;
  if (freeBytes >= WARN_BELOW_BYTES) return finding('disk', 'ok', found);
  return finding(
    'disk',
    freeBytes < FAIL_BELOW_BYTES ? 'fail' : 'warn',
    `${found}: a worker keeps outcomes there until it has reported them`,
    'Free some space, or set MACBATCH_STATE_DIR to a folder on another disk.',
  );
}

/** Checks a Mac's sleep settings in the output of `pmset -g`. */
export function judgeSleep(pmsetOutput: string): Finding {
  const [, digits, reason] = /^ *sleep +(\d+)(?: +\((.*)\))?/m.exec(pmsetOutput) ?? [];
  if (digits === undefined) return finding('sleep', 'info', 'pmset prints no sleep setting');
  const minutes = Number(digits);
  if (minutes === 0) return finding('sleep', 'ok', 'this Mac does not sleep when it is idle');
  return finding(
    'sleep',
    'warn',
    `this Mac sleeps after ${minutes} min without input${reason === undefined ? '' : ` (${reason})`}. While it sleeps, its leases expire and other workers take its tasks`,
    'A worker that has work keeps the Mac awake on mains power. To take new work at any time: sudo pmset -c sleep 0',
  );
}
