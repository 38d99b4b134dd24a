import { expect, it } from 'vitest';
import { releaseNotes } from './release-notes.ts';

const CHANGELOG = `# Changelog

## Unreleased

- Soon.

## [1.2.0] - 2026-12-01

### Added

- Two.

## 1.1.0

- One.

## 1.0.0
`;

it.each([
  ['1.2.0', '### Added\n\n- Two.\n'],
  ['1.1.0', '- One.\n'],
])('returns the notes of %s alone', (version, notes) => {
  expect(releaseNotes(CHANGELOG, version)).toBe(notes);
});

it.each(['1.0.0', '1.2', '2.0.0'])('fails for %s, which has no notes', (version) => {
  expect(() => releaseNotes(CHANGELOG, version)).toThrow(`no notes for ${version}`);
});
