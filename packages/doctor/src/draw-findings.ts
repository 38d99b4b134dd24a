import { styleText } from 'node:util';
import type { Terminal } from '@macbatch/terminal';
import { table } from '@macbatch/terminal';
import type { Finding, FindingState } from './finding.ts';

const MARKS = {
  ok: { mark: '✓ ok', colour: 'green' },
  info: { mark: '· info', colour: 'dim' },
  warn: { mark: '! warn', colour: 'yellow' },
  fail: { mark: '✗ fail', colour: 'red' },
} as const satisfies Record<FindingState, unknown>;

/** Draws findings as a table, each fix below its finding, and a summary at the end. */
export function drawFindings(findings: readonly Finding[], out: Terminal['stdout']): string {
  const paint = (state: FindingState, text: string) =>
    styleText(MARKS[state].colour, text, { stream: out as NodeJS.WritableStream });
  const rows = findings.flatMap(({ check, state, found, fix }) => [
    [paint(state, MARKS[state].mark), check, found],
    ...(fix === undefined ? [] : [['', '', `→ ${fix}`]]),
  ]);
  const count = (state: FindingState) => findings.filter((each) => each.state === state).length;
  const [fails, warns] = [count('fail'), count('warn')];
  const summary =
    fails > 0
      ? paint('fail', `${fails} of ${findings.length} checks failed`)
      : warns > 0
        ? paint('warn', `works, with ${warns} ${warns === 1 ? 'warning' : 'warnings'}`)
        : paint('ok', 'all checks passed');
  return `${table(['', 'check', 'found'], rows)}\n\n${summary}`;
}
