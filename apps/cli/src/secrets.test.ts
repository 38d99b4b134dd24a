import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runInProcess } from './testing/run-in-process.ts';

const SECRET = 'xSECRETx'.repeat(6).slice(0, 43);
const KEY = `mbk_0123456789abcdef_${SECRET}`;
const BANNER = `\n> macbatch@0.1.0\n> node main.ts keys create\n\n${KEY}\n`;

let folder: string;
/** Echoes the key in its refusals, as a bad proxy could. */
let server: Server;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'macbatch-secrets-'));
  writeFileSync(join(folder, 'items.jsonl'), '"text"\n');
  writeFileSync(join(folder, 'banner.txt'), BANNER);
  writeFileSync(join(folder, 'config.txt'), `[client]\nkey = "${KEY}"\n`);
  writeFileSync(join(folder, 'torn-config.txt'), `[client]\nkey = ${KEY}"\n`);
  writeFileSync(join(folder, 'two.txt'), `${KEY}\n${KEY.replace('0123', '9876')}\n`);
  server = createServer((request, response) => {
    response.writeHead(400, { 'content-type': 'text/plain' });
    response.end(`bad request of ${request.headers.authorization ?? ''}`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  server.close();
});

const JOB = '01a22849-568c-7422-8464-443b29d20bb5';
const ITEMS = ['--type', 'chat', '--model', 'm'];
const COMMANDS = [
  ['submit', 'items.jsonl', ...ITEMS],
  ['jobs'],
  ['job', JOB],
  ['job', JOB, '--explain'],
  ['watch', JOB],
  ['cancel', JOB],
  ['retry', JOB],
  ['results', JOB],
  ['workers'],
  ['boots'],
  ['keys', 'list'],
  ['keys', 'create', '--name', 'n', '--role', 'submit'],
  ['keys', 'revoke', '0123456789abcdef'],
  ['keys', 'invite'],
  ['prune', '--older-than', '30d', '--yes'],
  ['doctor'],
];

const PLACES: readonly (readonly [where: string, env: Record<string, string>, args: readonly string[]])[] = [
  ['MACBATCH_KEY with a banner', { MACBATCH_KEY: BANNER }, []],
  ['MACBATCH_KEY with a character that a header cannot carry', { MACBATCH_KEY: `${KEY}é` }, []],
  ['MACBATCH_KEY that the server echoes', { MACBATCH_KEY: KEY }, []],
  ['MACBATCH_KEY_FILE that is the key', { MACBATCH_KEY_FILE: KEY }, []],
  ['a key file with a banner, which the server echoes', { MACBATCH_KEY_FILE: 'banner.txt' }, []],
  ['a key file with two keys', { MACBATCH_KEY_FILE: 'two.txt' }, []],
  ['MACBATCH_CA_FILE that is the key', { MACBATCH_CA_FILE: KEY }, []],
  ['the password of MACBATCH_URL', { MACBATCH_URL: `http://user:${KEY}@127.0.0.1:1` }, []],
  ['the query of MACBATCH_URL', { MACBATCH_URL: `http://127.0.0.1:1/?key=${KEY}` }, []],
  ['MACBATCH_URL itself', { MACBATCH_URL: KEY }, []],
  ['the configuration file', { MACBATCH_CONFIG: 'config.txt' }, []],
  ['a configuration file that is no TOML', { MACBATCH_CONFIG: 'torn-config.txt' }, []],
  ['MACBATCH_CONFIG that is the key', { MACBATCH_CONFIG: KEY }, []],
  ['--url', {}, ['--url', `http://user:${KEY}@127.0.0.1:1`]],
];

it.each(PLACES)('no command prints a key in %s', async (_where, env, args) => {
  const said = await Promise.all(
    COMMANDS.map(async (command) => {
      const located = Object.fromEntries(
        Object.entries(env).map(([name, value]) => [
          name,
          value.endsWith('.txt') ? join(folder, value) : value,
        ]),
      );
      const { code, stdout, stderr } = await runInProcess([...command, ...args], {
        cwd: folder,
        env: { MACBATCH_URL: url, ...located },
        interrupted: AbortSignal.timeout(20_000),
      });
      return `${command.join(' ')} exited with ${code}: ${stdout}${stderr}`;
    }),
  );
  for (const text of said) {
    expect(text).not.toContain(SECRET);
    expect(text).toMatch(/exited with [123]:/);
  }
});
