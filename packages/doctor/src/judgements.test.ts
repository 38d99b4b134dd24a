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
};

describe('the database', () => {
  it('is well as Postgres is set up by default', () => {
    expect(judgeDatabase(GOOD).map(({ state, fix }) => [state, fix])).toEqual([
      ['ok', undefined],
      ['ok', undefined],
      ['ok', undefined],
      ['ok', undefined],
    ]);
    expect(judgeDatabase(GOOD).at(-1)?.found).toContain('room for 3');
    expect(judgeDatabase({ ...GOOD, synchronous_commit: 'remote_apply' })[1]?.state).toBe('ok');
  });

  it.each([
    [{ server_version: '14.11' }, 'postgres', 'fail', /Move to Postgres 15/],
    [{ fsync: false }, 'durability', 'fail', /alter system set fsync = on; then/],
    [
      { full_page_writes: false, fsync: false },
      'durability',
      'fail',
      /fsync = on; alter system set full_page/,
    ],
    [{ synchronous_commit: 'off' }, 'durability', 'fail', /synchronous_commit = on/],
    [{ autovacuum: false }, 'vacuum', 'fail', /autovacuum = on/],
    [{ max_connections: 30 }, 'connections', 'fail', /above 34/],
    [{ used_connections: 95 }, 'connections', 'warn', /Raise max_connections/],
  ])('%j is told, with what to do', (wrong, check, state, fix) => {
    const told = judgeDatabase({ ...GOOD, ...wrong }).filter((each) => each.state !== 'ok');
    expect(told).toMatchObject([{ check, state, fix: expect.stringMatching(fix) }]);
  });
});

describe('the clock', () => {
  const at = (offsetMs: number, tripMs = 20) =>
    judgeClock({
      askedAt: 1_000_000 + offsetMs,
      answeredAt: 1_000_000 + offsetMs + tripMs,
      databaseNow: 1_000_000 + tripMs / 2,
    });
  it.each([
    [0, 'ok', /within 10 ms/],
    [-900, 'ok', /within 910 ms/],
    [20_000, 'warn', /20 s ahead of/],
    [-3_600_000, 'fail', /3600 s behind/],
  ])('that is %i ms off', (offset, state, found) => {
    expect(at(offset)).toMatchObject({ state, found: expect.stringMatching(found) });
  });
  it('is not blamed for what a slow network can explain', () => {
    expect(at(8000, 16_000).state).toBe('ok');
  });
});

it.each([
  ['24.21.0', 'ok'],
  ['22.12.0', 'ok'],
  ['22.11.9', 'fail'],
  ['20.19.1', 'fail'],
])('Node %s is %s', (version, state) => {
  expect(judgeNode(version).state).toBe(state);
});

it.each([
  [40e9, 'ok', '40.0 GB'],
  [2e9, 'warn', '2.0 GB'],
  [1e6, 'fail', '0.0 GB'],
])('%i bytes free are %s', (bytes, state, found) => {
  const told = judgeDisk('/state', bytes);
  expect(told).toMatchObject({ state, found: expect.stringContaining(found) });
  if (state !== 'ok') expect(told.fix).toContain('MACBATCH_STATE_DIR');
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
  ['', 'info', /does not say/],
])('a Mac of which pmset says "%s"', (line, state, found) => {
  expect(judgeSleep(PMSET(line))).toMatchObject({ state, found: expect.stringMatching(found) });
});

it.each([
  ['ECONNREFUSED', /macbatch up/],
  ['ENOTFOUND', /name is right/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /MACBATCH_CA_FILE/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /MACBATCH_CA_FILE/],
  ['CERT_HAS_EXPIRED', /Renew/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /stands in its certificate/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /speaks TLS/],
  ['ETIMEDOUT', /firewall/],
])('a connection that ends with %s', (code, fix) => {
  const cause = Object.assign(new Error('why'), { code });
  const told = unreachable('https://pool', new TypeError('fetch failed', { cause }));
  expect(told).toMatchObject({
    state: 'fail',
    found: expect.stringContaining('why'),
    fix: expect.stringMatching(fix),
  });
});
