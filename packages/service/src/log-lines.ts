import { readFile } from 'node:fs/promises';
import { rolledFiles } from '@macbatch/process';
import { printable } from '@macbatch/terminal';

/** Returns the newest lines of a rolling file, oldest first. */
export async function newestLines(path: string, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const file of rolledFiles(path)) {
    if (lines.length >= count) break;
    const text = await readFile(file, 'utf8').catch(() => '');
    lines.unshift(...text.split('\n').filter((line) => line !== ''));
  }
  return lines.slice(Math.max(0, lines.length - count));
}

/** Parses a line of the log; null if it is no JSON object. */
export function parseLogLine(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

/** Members of every line, which a person does not need. */
const HIDDEN = new Set(['level', 'time', 'program', 'event']);

/** Formats a line of the log for people. Shows a line that is not of the log as it is. */
export function logText(line: string): string {
  const entry = parseLogLine(line);
  if (entry === null) return printable(line);
  const fields = Object.entries(entry)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const { time, event, level } = entry;
  const words = [
    typeof time === 'string' ? time : '',
    level === 'warn' ? '!' : ' ',
    typeof event === 'string' ? event : '',
    ...fields,
  ];
  return printable(words.filter((word) => word !== '').join(' '));
}
