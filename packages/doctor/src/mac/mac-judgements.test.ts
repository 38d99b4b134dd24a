import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeSleep } from '../judge-machine.ts';
import { judgeInstalls } from './judge-installs.ts';
import { judgeLid } from './judge-lid.ts';
import { judgeListeners } from './judge-listeners.ts';
import { judgeLocalNetwork } from './judge-local-network.ts';
import { judgeNodePath } from './judge-node-path.ts';

it.each<[string, boolean, string, RegExp]>([
  ['/Users/a/.nvm/versions/node/v24.1.0/bin/node', true, 'warn', /belongs to nvm/],
  ['/Users/a/.nvm/versions/node/v24.1.0/bin/node', false, 'info', /belongs to nvm/],
  ['/Users/a/.local/share/fnm/node-versions/v24.1.0/installation/bin/node', true, 'warn', /fnm/],
  ['/Users/a/Library/Caches/fnm_multishells/1_2/bin/node', true, 'warn', /fnm/],
  ['/Users/a/.volta/tools/image/node/24.1.0/bin/node', true, 'warn', /volta/],
  ['/Users/a/.asdf/installs/nodejs/24.1.0/bin/node', true, 'warn', /asdf/],
  ['/Users/a/.local/share/mise/installs/node/24.1.0/bin/node', true, 'warn', /mise/],
  ['/opt/homebrew/Cellar/node@24/24.1.0/bin/node', true, 'info', /next upgrade of Homebrew/],
  ['/usr/local/bin/node', true, 'ok', /usr\/local/],
])('judges the Node %s of a service (%s): %s', (path, isService, state, found) => {
  expect(judgeNodePath(path, isService)).toMatchObject({ state, found: expect.stringMatching(found) });
});

it('finds two copies of macbatch, and not the two programs of one copy', () => {
  const npm = '/opt/homebrew/lib/node_modules/macbatch/dist';
  const brew = '/opt/homebrew/Cellar/macbatch/0.1.0/bin/macbatch';
  expect(judgeInstalls([`${npm}/main.js`], `${npm}/worker.js`)).toMatchObject({ state: 'ok' });
  expect(judgeInstalls([brew], '/opt/homebrew/opt/macbatch/libexec/x/worker.js')).toMatchObject({
    state: 'ok',
  });
  expect(judgeInstalls([`${npm}/main.js`, brew], `${npm}/worker.js`)).toMatchObject({
    state: 'warn',
    found: expect.stringMatching(/installed 2 times.*the service runs the one in .*node_modules\/macbatch$/),
    fix: expect.stringContaining('brew uninstall'),
  });
  expect(judgeInstalls([], null)).toMatchObject({ state: 'ok' });
});

describe('judgeLocalNetwork', () => {
  const reach = {
    host: '192.168.1.5',
    port: 7420,
    nodeError: null,
    reachedByApple: null,
    serviceProblem: null,
  };

  it('names the permission when Node fails and nc connects', () => {
    const found = judgeLocalNetwork({ ...reach, nodeError: 'EHOSTUNREACH', reachedByApple: true });
    expect(found).toMatchObject({ state: 'fail', fix: expect.stringMatching(/Local Network.*--boot/) });
  });

  it('blames the network when nc fails too', () => {
    const found = judgeLocalNetwork({ ...reach, nodeError: 'EHOSTUNREACH', reachedByApple: false });
    expect(found).toMatchObject({ state: 'fail', fix: expect.stringContaining('is on') });
  });

  it('names the permission when only the service fails: a terminal has its own', () => {
    const found = judgeLocalNetwork({ ...reach, serviceProblem: 'connect EHOSTUNREACH 192.168.1.5:7420' });
    expect(found).toMatchObject({ state: 'fail', found: expect.stringContaining('the service does not') });
  });

  it('says nothing about other hosts and other errors', () => {
    expect(judgeLocalNetwork({ ...reach, host: 'pool.example.org', nodeError: 'EHOSTUNREACH' })).toBe(null);
    expect(judgeLocalNetwork({ ...reach, nodeError: 'ECONNREFUSED' })).toBe(null);
    expect(judgeLocalNetwork(reach)).toMatchObject({ state: 'ok' });
  });
});

const LAPTOP = `Now drawing from 'AC Power'
 -InternalBattery-0 (id=1234567)\t85%; charging; 1:23 remaining present: true
`;

it('says what a closed lid does, on laptops only', () => {
  expect(judgeLid(' SleepDisabled\t\t0\n', LAPTOP)).toMatchObject({ state: 'info', check: 'lid' });
  expect(judgeLid(' SleepDisabled\t\t1\n', LAPTOP)).toMatchObject({
    state: 'warn',
    fix: expect.stringContaining('disablesleep 0'),
  });
  expect(judgeLid('', "Now drawing from 'AC Power'\n")).toBe(null);
  expect(judgeLid('', "Now drawing from 'UPS Power'\n -UPS (id=1)\t87%; discharging\n")).toBe(null);
});

const LSOF = `COMMAND     PID USER   FD   TYPE             DEVICE SIZE/OFF NODE NAME
ollama    12345  ann    3u  IPv4 0x1234567890abcdef      0t0  TCP 192.168.1.5:11434 (LISTEN)
LM\\x20Stu   400  ann   20u  IPv4 0x1234567890abcdef      0t0  TCP 127.0.0.1:1234 (LISTEN)
llama-ser   500  ann   20u  IPv6 0x1234567890abcdef      0t0  TCP [::1]:8080 (LISTEN)
python3     600  ann   20u  IPv4 0x1234567890abcdef      0t0  TCP *:8000 (LISTEN)
rapportd    700  ann    8u  IPv4 0x1234567890abcdef      0t0  TCP 10.0.0.2:49152 (LISTEN)
`;

it('finds model servers that wait at another address than 127.0.0.1', () => {
  expect(judgeListeners(LSOF, [11434, 1234, 8080, 8000])).toMatchObject([
    {
      state: 'warn',
      found: 'ollama waits at 192.168.1.5:11434, not at 127.0.0.1',
      fix: expect.stringContaining('--endpoint http://192.168.1.5:11434/v1'),
    },
    { found: 'llama-ser waits at [::1]:8080, not at 127.0.0.1' },
  ]);
});

it('throws for no output of a system: empty, cut off, in another language, or hostile', () => {
  for (let at = 0; at <= LSOF.length; at += 1) judgeListeners(LSOF.slice(0, at), [11434]);
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom(...LSOF.split(/\b/), ...LAPTOP.split(/\b/), '\n', '9'.repeat(40)))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, text, (one, other) => {
      judgeLid(one, other);
      judgeListeners(one, [11434, 80]);
      judgeSleep(one);
      judgeNodePath(one, true);
      judgeInstalls([one, other], one);
      judgeLocalNetwork({
        host: one,
        port: 1,
        nodeError: other,
        reachedByApple: null,
        serviceProblem: one,
      });
    }),
  );
});
