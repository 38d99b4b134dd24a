import { errors } from 'undici';
import { expect, test } from 'vitest';
import { failureOfConnection } from './connection-failure.ts';

const withCode = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['ECONNREFUSED', withCode('ECONNREFUSED'), 'wait', 'server_unreachable'],
  ['ECONNRESET', withCode('ECONNRESET'), 'wait', 'server_unreachable'],
  [
    'ECONNREFUSED by every address of a name',
    new AggregateError([withCode('ECONNREFUSED')]),
    'wait',
    'server_unreachable',
  ],
  [
    'ECONNREFUSED as the cause',
    new TypeError('fetch failed', { cause: withCode('ECONNREFUSED') }),
    'wait',
    'server_unreachable',
  ],
  ['other side closed', new errors.SocketError('other side closed'), 'wait', 'server_unreachable'],
  ['connect time-out', new errors.ConnectTimeoutError(), 'wait', 'server_unreachable'],
  ['headers time-out', new errors.HeadersTimeoutError(), 'transient', 'timeout'],
  ['body time-out', new errors.BodyTimeoutError(), 'transient', 'timeout'],
  ['a reply that is not HTTP', withCode('HPE_INVALID_CONSTANT'), 'transient', 'request_failed'],
])('turns %s into a failure with this cause', (_name, error, failure, code) => {
  expect(failureOfConnection(error, 'mac.local:1234')).toMatchObject({ failure, code, cause: error });
});

test('names the Local Network permission of macOS at EHOSTUNREACH', () => {
  const failure = failureOfConnection(withCode('EHOSTUNREACH'), '10.0.0.7:1234');
  expect(failure).toMatchObject({ failure: 'wait', code: 'server_unreachable' });
  expect(failure.message).toMatch(/10\.0\.0\.7:1234.*Local Network/);
});
