import { expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';

it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.1', '::1', '[::1]'])(
  'takes %s for this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.org', 'localhost.example.org', '127.1', ''])(
  'does not take %s for this machine',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
