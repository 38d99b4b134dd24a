import { errors } from 'undici';
import { expect, test } from 'vitest';
import { failureOfConnection } from './connection-failure.ts';

const withCode = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['ECONNREFUSED', withCode('ECONNREFUSED'), 'wait', 'server_unreachable'],
  ['ECONNRESET', withCode('ECONNRESET'), 'interrupted', 'request_failed'],
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
  ['other side closed', new errors.SocketError('other side closed'), 'interrupted', 'request_failed'],
  ['connect time-out', new errors.ConnectTimeoutError(), 'wait', 'server_unreachable'],
  ['headers time-out', new errors.HeadersTimeoutError(), 'timeout', 'timeout'],
  ['body time-out', new errors.BodyTimeoutError(), 'timeout', 'timeout'],
  ['a self-signed certificate', withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'not_here', 'certificate_refused'],
  ['an unknown authority', withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'not_here', 'certificate_refused'],
  ['plain HTTP instead of TLS', withCode('ERR_SSL_WRONG_VERSION_NUMBER'), 'not_here', 'not_supported'],
  ['a reply that is not HTTP', withCode('HPE_INVALID_CONSTANT'), 'transient', 'request_failed'],
])('turns %s into a failure with this cause', (_name, error, failure, code) => {
  expect(failureOfConnection(error, 'mac.local:1234')).toMatchObject({ failure, code, cause: error });
});

test.each<[NodeJS.Platform, string, boolean]>([
  ['darwin', '10.0.0.7:1234', true],
  ['darwin', 'studio.local:1234', true],
  ['darwin', '[fe80::1]:1234', true],
  ['darwin', '8.8.8.8:1234', false],
  ['linux', '10.0.0.7:1234', false],
])(
  'names the Local Network permission of macOS at EHOSTUNREACH: on %s, of %s: %s',
  (platform, host, named) => {
    const failure = failureOfConnection(withCode('EHOSTUNREACH'), host, { platform });
    expect(failure).toMatchObject({ failure: 'wait', code: 'server_unreachable' });
    expect(failure.message).toContain(`no route to the model server ${host} (EHOSTUNREACH)`);
    expect(failure.message.includes('Local Network')).toBe(named);
  },
);

test('says whether the connection broke before or during the answer', () => {
  const failure = (bytesArrived: boolean) =>
    failureOfConnection(withCode('ECONNRESET'), 'mac.local:1234', { bytesArrived });
  expect(failure(true)).toMatchObject({ failure: 'interrupted', bytesArrived: true });
  expect(failure(true).message).toMatch(/closed the connection in the middle of its answer/);
  expect(failure(false).message).toMatch(/closed the connection before it answered/);
});

test('treats a connection that times out in the middle of an answer as a broken one', () => {
  expect(failureOfConnection(withCode('ETIMEDOUT'), 'mac.local:1234', { bytesArrived: true })).toMatchObject({
    failure: 'interrupted',
    code: 'request_failed',
  });
});

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', /MACBATCH_CA_FILE/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /another host name/],
  ['CERT_HAS_EXPIRED', /time of validity/],
])('says what to do about a certificate that is refused with %s', (code, hint) => {
  expect(failureOfConnection(withCode(code), 'mac.local:1234').message).toMatch(hint);
});
