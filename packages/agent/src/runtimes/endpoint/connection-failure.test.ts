import { errors } from 'undici';
import { expect, test } from 'vitest';
import { failureOfConnection } from './connection-failure.ts';

const withCode = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['ECONNREFUSED', withCode('ECONNREFUSED'), 'wait', 'server_unreachable'],
  ['ECONNRESET', withCode('ECONNRESET'), 'wait', 'server_unreachable'],
  [
    'a refusal by each address of a name',
    new AggregateError([withCode('ECONNREFUSED')]),
    'wait',
    'server_unreachable',
  ],
  [
    'a refusal as the cause',
    new TypeError('fetch failed', { cause: withCode('ECONNREFUSED') }),
    'wait',
    'server_unreachable',
  ],
  ['other side closed', new errors.SocketError('other side closed'), 'wait', 'server_unreachable'],
  ['no connection in time', new errors.ConnectTimeoutError(), 'wait', 'server_unreachable'],
  ['no headers in time', new errors.HeadersTimeoutError(), 'transient', 'timeout'],
  ['no body in time', new errors.BodyTimeoutError(), 'transient', 'timeout'],
  ['no HTTP', withCode('HPE_INVALID_CONSTANT'), 'transient', 'request_failed'],
])('%s is classed and kept as the cause', (_name, error, failure, code) => {
  expect(failureOfConnection(error, 'mac.local:1234')).toMatchObject({ failure, code, cause: error });
});

test('EHOSTUNREACH points to the Local Network permission of macOS', () => {
  const failure = failureOfConnection(withCode('EHOSTUNREACH'), '10.0.0.7:1234');
  expect(failure).toMatchObject({ failure: 'wait', code: 'server_unreachable' });
  expect(failure.message).toMatch(/10\.0\.0\.7:1234.*Local Network/);
});
