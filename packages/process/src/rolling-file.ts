import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface RollingFileLimits {
  /** Size at which a file is full. */
  readonly maxBytes: number;
  /** Number of files, with the one that is written. */
  readonly files: number;
}

const LIMITS: RollingFileLimits = { maxBytes: 10_000_000, files: 5 };

/** Lists the files of a rolling file: the one that is written first, then ever older ones. */
export function rolledFiles(path: string, { files }: Pick<RollingFileLimits, 'files'> = LIMITS): string[] {
  return Array.from({ length: files }, (_, age) => (age === 0 ? path : `${path}.${age}`));
}

/**
 * Returns a function that appends a line to a file, readable only by this user. A full file becomes `PATH.1`, and the
 * oldest file is deleted. Writes are synchronous, so the last lines before an exit are not lost. A line that cannot be
 * written is dropped: a full disk must not end the program.
 */
export function openRollingFile(path: string, limits: RollingFileLimits = LIMITS): (line: string) => void {
  let file: { readonly fd: number; bytes: number } | undefined;
  const open = () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const fd = openSync(path, 'a', 0o600);
    return { fd, bytes: fstatSync(fd).size };
  };
  return (line) => {
    try {
      file ??= open();
      const size = Buffer.byteLength(line);
      if (file.bytes > 0 && file.bytes + size > limits.maxBytes) {
        closeSync(file.fd);
        file = undefined;
        roll(path, limits);
        file = open();
      }
      writeSync(file.fd, line);
      file.bytes += size;
    } catch {
      // Nobody reads an error about the log.
    }
  };
}

function roll(path: string, limits: RollingFileLimits): void {
  const names = rolledFiles(path, limits);
  for (const [age, older] of [...names.entries()].slice(1).reverse()) {
    const newer = names[age - 1];
    try {
      if (newer !== undefined) renameSync(newer, older);
    } catch {
      // There is no file of this age yet.
    }
  }
}
