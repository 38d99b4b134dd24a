import { expect, it } from 'vitest';
import { pauseText } from './pause-text.ts';

const NOW = new Date(2026, 0, 1, 14, 0);
const PAUSE = {
  rule: null,
  since: new Date(2026, 0, 1, 13, 40).toISOString(),
  until: null,
  reason: null,
  by: null,
  drain: false,
};

it('says by whom, since when, until when and why a worker is paused', () => {
  expect(pauseText(PAUSE, NOW)).toMatch(/^paused since 13:40 \S+$/);
  const until = new Date(2026, 0, 1, 18, 0).toISOString();
  expect(pauseText({ ...PAUSE, until, by: 'ana', reason: 'film\u001b', drain: true }, NOW)).toMatch(
    /^paused by ana since 13:40 \S+ until 18:00 \S+: film\ufffd \(hands back what it has not started\)$/,
  );
});
