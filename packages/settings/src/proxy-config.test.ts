import { expect, it } from 'vitest';
import { proxiesOf } from './proxy-config.ts';

it('reads the usual variables and prefers the lower-case ones', () => {
  expect(proxiesOf({})).toEqual({ http: undefined, https: undefined, none: undefined });
  expect(proxiesOf({ HTTP_PROXY: 'a', HTTPS_PROXY: 'b', NO_PROXY: 'c' })).toEqual({
    http: 'a',
    https: 'b',
    none: 'c',
  });
  expect(proxiesOf({ HTTP_PROXY: 'a', http_proxy: 'd' })).toMatchObject({ http: 'd' });
});
