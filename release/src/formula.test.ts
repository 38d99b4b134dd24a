import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { type FormulaFacts, formulaText } from './formula.ts';

const FACTS: FormulaFacts = {
  description: 'Batch inference on the Macs you already own',
  homepage: 'https://git.example.org/owner/macbatch',
  url: 'https://git.example.org/owner/macbatch/releases/download/v1.2.3/macbatch-1.2.3.tgz',
  sha256: '0123456789abcdef'.repeat(4),
  license: 'MIT',
  nodeMajor: 24,
};
const hasRuby = spawnSync('ruby', ['--version']).status === 0;

it('has the fields that Homebrew requires', () => {
  const formula = formulaText(FACTS);
  const fields = Object.fromEntries(
    [...formula.matchAll(/^ {2}(desc|homepage|url|sha256|license|depends_on) "(.*)"$/gm)].map(
      ([, name, text]) => [name, text],
    ),
  );
  const { description, nodeMajor, ...rest } = FACTS;
  expect(fields).toEqual({ desc: description, depends_on: `node@${nodeMajor}`, ...rest });
  // Homebrew's audit: at most 80 characters, no article first, no full stop.
  expect(fields['desc']).toMatch(/^(?!An? |The )[A-Z].{0,78}[^.]$/);
  for (const part of ['def install', 'service do', 'test do']) expect(formula).toContain(`  ${part}\n`);
});

it('refuses a checksum that is not SHA-256', () => {
  expect(() => formulaText({ ...FACTS, sha256: 'abc' })).toThrow(/64 hexadecimal digits/);
});

it.skipIf(!hasRuby).each(['Batch inference on the Macs you already own', `It's "quoted", #{x} and a \\`])(
  'is Ruby with the description %j (needs ruby: apt-get install ruby / brew install ruby)',
  (description) => {
    const formula = formulaText({ ...FACTS, description });
    const { status, stderr } = spawnSync('ruby', ['-c'], { input: formula, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [, written = ''] = /^ {2}desc (.*)$/m.exec(formula) ?? [];
    expect(spawnSync('ruby', ['-e', `print ${written}`], { encoding: 'utf8' }).stdout).toBe(description);
  },
);
