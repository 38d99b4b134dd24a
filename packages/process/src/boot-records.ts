import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** One line of the file. */
const Line = z.object({ program: z.string(), record: z.unknown() });

/** A boot takes about 300 bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Returns the last record of a program, or undefined. Skips damaged lines. */
export function lastRecord(path: string, program: string): unknown {
  return readRecords(path).get(program);
}

/**
 * B2: appends a record of a program. Programs share the file without a lock, because the system appends a short line
 * in one piece. Ignores a file that cannot be written: the next boot then finds no record, which is the truth.
 */
export function appendRecord(path: string, program: string, record: object): void {
  try {
    const line = JSON.stringify({ program, record });
    // The first line break ends a line that a crash has cut off.
    appendFileSync(path, `\n${line}\n`, { mode: 0o600 });
    if (statSync(path).size > MAX_FILE_BYTES) keepLastRecords(path);
  } catch {
    // As documented.
  }
}

/** A program that boots at this moment may lose its record. */
function keepLastRecords(path: string): void {
  const lines = [...readRecords(path)].map(([program, record]) => JSON.stringify({ program, record }));
  const draft = `${path}.${process.pid}`;
  // Not with write-file-atomic: its SIGXFSZ handler would let that signal kill a program at its file size limit.
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function readRecords(path: string): Map<string, unknown> {
  const records = new Map<string, unknown>();
  for (const text of linesOf(path)) {
    const line = parseLine(text);
    if (line !== null) records.set(line.program, line.record);
  }
  return records;
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}

function parseLine(text: string): z.output<typeof Line> | null {
  try {
    return Line.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
