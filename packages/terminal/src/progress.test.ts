import { Writable } from 'node:stream';
import type { JobSummary } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { showProgress } from './progress.ts';
import { printLine } from './terminal.ts';

const ROWS = 5;
/** Shown as ⎋ below. */
const ESCAPE = '\u001b';

/** A screen that understands what a progress bar writes. `start` is the row of the first output. */
function screen(start: number) {
  const rows = Array.from({ length: ROWS }, () => '');
  let row = start;
  let column = 0;
  let saved: [row: number, column: number] = [0, 0];
  const show = (text: string) => {
    const before = rows[row] ?? '';
    rows[row] = before.slice(0, column).padEnd(column) + text + before.slice(column + text.length);
    column += text.length;
  };
  const act: Readonly<Record<string, () => void>> = {
    '\n': () => {
      column = 0;
      if (row < ROWS - 1) row += 1;
      else rows.splice(0, ROWS, ...rows.slice(1), '');
    },
    '\r': () => {
      column = 0;
    },
    '⎋[1G': () => {
      column = 0;
    },
    '⎋7': () => {
      saved = [row, column];
    },
    '⎋8': () => {
      [row, column] = saved;
    },
    '⎋[2K': () => {
      rows[row] = '';
    },
    '⎋[0K': () => {
      rows[row] = (rows[row] ?? '').slice(0, column);
    },
  };
  const stderr = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        for (const [piece] of String(chunk)
          .replaceAll(ESCAPE, '⎋')
          .matchAll(/⎋\[\??\d*[A-Za-z]|⎋[78]|[\n\r]|[^⎋\n\r]+/g)) {
          (act[piece] ?? (piece.startsWith('⎋') ? () => undefined : () => show(piece)))();
        }
        done();
      },
    }),
    { isTTY: true, columns: 120 },
  );
  return { stderr, text: () => rows.map((each) => each.trimEnd()).filter((each) => each !== '') };
}

const job = (ok: number) => ({ items: { total: 9, ok, error: 0, failed: 0 } }) as JobSummary;

it.each([0, 1, ROWS - 1])(
  'leaves no part of a progress bar around notes and a summary, from row %s',
  (start) => {
    const { stderr, text } = screen(start);
    const progress = showProgress({ stderr, now: () => 0 });
    progress.update(job(1));
    expect(text()).toEqual([expect.stringContaining('1/9 items')]);
    progress.note('the job waits');
    progress.update(job(5));
    expect(text()).toEqual(['the job waits', expect.stringContaining('5/9 items')]);
    progress.update(job(9));
    progress.stop();
    printLine(stderr, 'done');
    expect(text()).toEqual(['the job waits', 'done']);
  },
);
