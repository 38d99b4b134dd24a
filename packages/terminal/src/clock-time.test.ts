import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockRange, clockTime } from './clock-time.ts';

beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const NOW = new Date('2026-03-02T09:00:00Z');

describe('clockTime', () => {
  it.each([
    ['with seconds when it is near', '2026-03-02T09:01:30Z', '10:01:30 CET'],
    ['without seconds when it is not near', '2026-03-02T12:05:00Z', '13:05 CET'],
    [
      'with the day when it is not today in the local time zone',
      '2026-03-02T23:05:00Z',
      'Tue 3 Mar, 00:05 CET',
    ],
    ['with the year when it is far away', '2027-03-02T12:05:00Z', 'Tue, 2 Mar 2027, 13:05 CET'],
  ])('formats a time %s', (_, at, text) => {
    expect(clockTime(new Date(at), NOW)).toBe(text);
  });
});

describe('clockRange', () => {
  it('prints one time when both ends look the same', () => {
    const from = new Date('2026-03-02T12:05:00Z');
    expect(clockRange(from, new Date('2026-03-02T12:05:59Z'), NOW)).toBe('13:05 CET');
    expect(clockRange(from, new Date('2026-03-02T12:09:00Z'), NOW)).toBe('13:05–13:09 CET');
  });
});
