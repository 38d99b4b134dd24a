import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { drawFindings } from './draw-findings.ts';
import { finding } from './finding.ts';

const out = new Writable();

it('draws a fix below its finding, and a summary of the worst finding at the end', () => {
  const text = drawFindings(
    [finding('clock', 'ok', 'within 5 ms'), finding('key', 'fail', 'it was revoked', 'Make another.')],
    out,
  );
  expect(text.split('\n').map((line) => line.trimEnd())).toEqual([
    expect.stringMatching(/check +found$/),
    expect.stringMatching(/^ *✓ ok +clock +within 5 ms$/),
    expect.stringMatching(/^ *✗ fail +key +it was revoked$/),
    expect.stringMatching(/^ +→ Make another\.$/),
    '',
    '1 of 2 checks failed',
  ]);
  expect(drawFindings([finding('clock', 'warn', 'off')], out)).toMatch(/works, with 1 warning$/);
  expect(drawFindings([finding('clock', 'ok', 'right')], out)).toMatch(/all checks passed$/);
});
