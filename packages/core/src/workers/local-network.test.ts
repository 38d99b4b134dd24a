import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLocalNetworkHost } from './local-network.ts';

it.each([
  '10.0.0.7',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.2',
  '169.254.1.1',
  'Studio.local',
  'studio.local.',
  '[fe80::1]',
  'fd12:3456::1',
])('%s is in the local network', (host) => {
  expect(isLocalNetworkHost(host)).toBe(true);
});

it.each([
  '127.0.0.1',
  '[::1]',
  'localhost',
  '172.32.0.1',
  '100.64.0.1',
  '8.8.8.8',
  'pool.example.org',
  '10.0.0',
  '10.0.0.256',
  '10.0.0.7.example.org',
  'fdb',
  '',
])('%s is not in the local network', (host) => {
  expect(isLocalNetworkHost(host)).toBe(false);
});

it('throws for no text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (host) => typeof isLocalNetworkHost(host) === 'boolean'),
  );
});
