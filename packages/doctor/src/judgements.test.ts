import { describe, expect, it } from 'vitest';
import { judgeClock } from './judge-clock.ts';
import { judgeDatabase } from './judge-database.ts';
import { judgeDisk, judgeNode, judgeSleep } from './judge-machine.ts';
import { unreachable } from './unreachable.ts';

const GOOD = {
  server_version: '18.4',
  synchronous_commit: 'on',
  fsync: true,
  full_page_writes: true,
  autovacuum: true,
  max_connections: 100,
  reserved_connections: 3,
  used_connections: 12,
  connections_each: 31,
  bytes: 1,
  oldest_transaction: { seconds: 1, application: 'macbatch', pid: 7 },
  transaction_id_age: 1000,
};

describe('judgeDatabase', () => {
  it('accepts the default settings of Postgres', () => {
    expect(judgeDatabase(GOOD).map(({ state, fix }) => [state, fix])).toEqual([
      ['ok', undefined],
      ['ok', undefined],
      ['ok', undefined],
      ['ok', undefined],
      ['ok', undefined],
      ['ok', undefined],
    ]);
    expect(judgeDatabase(GOOD)[3]?.found).toContain('enough for 3');
    expect(judgeDatabase({ ...GOOD, synchronous_commit: 'remote_apply' })[1]?.state).toBe('ok');
  });

  it.each([
    [{ server_version: '14.11' }, 'postgres', 'fail', /Upgrade to Postgres 15/],
    [{ fsync: false }, 'durability', 'fail', /alter system set fsync = on; then/],
    [
      { full_page_writes: false, fsync: false },
      'durability',
      'fail',
      /fsync = on; alter system set full_page/,
    ],
    [{ synchronous_commit: 'off' }, 'durability', 'fail', /synchronous_commit = on/],
    [{ autovacuum: false }, 'vacuum', 'fail', /autovacuum = on/],
    [{ max_connections: 30 }, 'connections', 'fail', /to at least 34/],
    [{ used_connections: 95 }, 'connections', 'warn', /Raise max_connections/],
    [
      { oldest_transaction: { seconds: 700, application: 'psql', pid: 7 } },
      'transactions',
      'warn',
      /pg_terminate_backend\(7\)/,
    ],
    [
      { oldest_transaction: { seconds: 4000, application: 'macbatch-upload', pid: 7 } },
      'transactions',
      'warn',
      /pg_terminate_backend/,
    ],
    [{ transaction_id_age: 500_000_000 }, 'transaction ids', 'warn', /vacuum \(freeze\)/],
    [{ transaction_id_age: 1_600_000_000 }, 'transaction ids', 'fail', /vacuum \(freeze\)/],
  ])('reports %j with a fix', (wrong, check, state, fix) => {
    const findings = judgeDatabase({ ...GOOD, ...wrong }).filter((each) => each.state !== 'ok');
    expect(findings).toMatchObject([{ check, state, fix: expect.stringMatching(fix) }]);
  });
});

it('judgeDatabase: accepts a long upload, no open transaction, and a control plane of an earlier release', () => {
  const upload = { seconds: 3000, application: 'macbatch-upload', pid: 7 };
  expect(judgeDatabase({ ...GOOD, oldest_transaction: upload })[4]?.state).toBe('ok');
  const findings = judgeDatabase({ ...GOOD, oldest_transaction: null, transaction_id_age: null });
  expect(findings.slice(4).map(({ state }) => state)).toEqual(['ok', 'info']);
});

describe('judgeClock', () => {
  const at = (offsetMs: number, roundTripMs = 20) =>
    judgeClock({
      requestAt: 1_000_000 + offsetMs,
      responseAt: 1_000_000 + offsetMs + roundTripMs,
      databaseNow: 1_000_000 + roundTripMs / 2,
    });
  it.each([
    [0, 'ok', /within 10 ms/],
    [-900, 'ok', /within 910 ms/],
    [20_000, 'warn', /20 s ahead of/],
    [-3_600_000, 'fail', /3600 s behind/],
  ])('judges a clock that is %i ms off', (offset, state, found) => {
    expect(at(offset)).toMatchObject({ state, found: expect.stringMatching(found) });
  });
  it('accepts an offset of at most half the duration of the request', () => {
    expect(at(8000, 16_000).state).toBe('ok');
  });
});

it.each([
  ['24.21.0', 'ok'],
  ['22.19.0', 'ok'],
  ['22.18.9', 'fail'],
  ['20.19.1', 'fail'],
])('judgeNode: %s is %s', (version, state) => {
  expect(judgeNode(version).state).toBe(state);
});

it.each([
  [40e9, 'ok', '40.0 GB'],
  [2e9, 'warn', '2.0 GB'],
  [1e6, 'fail', '0.0 GB'],
])('judgeDisk: %i free bytes are %s', (bytes, state, found) => {
  const finding = judgeDisk('/state', bytes);
  expect(finding).toMatchObject({ state, found: expect.stringContaining(found) });
  if (state !== 'ok') expect(finding.fix).toContain('MACBATCH_STATE_DIR');
});

const PMSET = (sleep: string) => `System-wide power settings:
Currently in use:
 standby              1
 Sleep On Power Button 1
 powernap             1
 networkoversleep     0
 disksleep            10
 ${sleep}
 ttyskeepawake        1
 displaysleep         10
 womp                 1
`;

it.each([
  [
    'sleep                1 (sleep prevented by powerd, coreaudiod)',
    'warn',
    /after 1 min .*prevented by powerd/,
  ],
  ['sleep                10', 'warn', /after 10 min/],
  ['sleep                0', 'ok', /does not sleep/],
  ['', 'info', /no sleep setting/],
])('judgeSleep: judges the pmset line "%s"', (line, state, found) => {
  expect(judgeSleep(PMSET(line))).toMatchObject({ state, found: expect.stringMatching(found) });
});

it.each([
  ['ECONNREFUSED', /macbatch up/],
  ['ENOTFOUND', /name is correct/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /MACBATCH_CA_FILE/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /MACBATCH_CA_FILE/],
  ['CERT_HAS_EXPIRED', /Renew/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /in its certificate/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /uses TLS/],
  ['ETIMEDOUT', /firewall/],
])('unreachable: gives a fix for %s', (code, fix) => {
  const cause = Object.assign(new Error('why'), { code });
  const finding = unreachable('https://pool', new TypeError('fetch failed', { cause }));
  expect(finding).toMatchObject({
    state: 'fail',
    found: expect.stringContaining('why'),
    fix: expect.stringMatching(fix),
  });
});
