import { expect, it } from 'vitest';
import { isLoopbackHost } from './loopback-host.ts';

it.each([
  'localhost',
  'localhost:7420',
  '127.0.0.1:7420',
  '127.1.2.3',
  '0.0.0.0:7420',
  '[::1]:7420',
  'pool.localhost:1',
])('%s means this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

it.each(['', 'evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', '[::2]:7420'])(
  '%j may mean another machine',
  (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  },
);
