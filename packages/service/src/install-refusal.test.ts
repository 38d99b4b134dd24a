import { expect, it } from 'vitest';
import { type InstallFacts, installRefusal } from './install-refusal.ts';

const FACTS: InstallFacts = {
  kind: 'launchd',
  boot: false,
  userId: 501,
  sudoUser: null,
  home: '/Users/Ann & Zoë',
  program: '/opt/homebrew/lib/node_modules/macbatch/dist/worker.js',
  source: { kind: 'npm_global', prefix: '/opt/homebrew' },
  stateFolder: '/Users/Ann & Zoë/.macbatch/workers',
  joined: true,
};

it.each<[string, Partial<InstallFacts>, RegExp | null]>([
  ['a worker that has joined', {}, null],
  ['root', { userId: 0 }, /root has no services of its own/],
  ['root with --boot on a Mac', { userId: 0, boot: true }, /root has no services/],
  ['root with --boot on Linux', { userId: 0, boot: true, kind: 'systemd' }, null],
  ['sudo', { userId: 0, boot: true, kind: 'systemd', sudoUser: 'ann' }, /without sudo, as ann/],
  ['the cache of npx', { source: { kind: 'npx_cache' } }, /cache of npx.*npm install --global/],
  ['a program in Downloads', { program: '/Users/Ann & Zoë/Downloads/m/worker.js' }, /out of ~\/Downloads/],
  ['a state folder in Documents', { stateFolder: '/Users/Ann & Zoë/Documents' }, /out of ~\/Documents/],
  ['a folder that begins like Downloads', { program: '/Users/Ann & Zoë/Downloads2/worker.js' }, null],
  ['Downloads on Linux', { kind: 'systemd', program: '/Users/Ann & Zoë/Downloads/m/worker.js' }, null],
  ['a line break in a path', { home: '/Users/a\nb' }, /control character/],
  ['a worker that has not joined', { joined: false }, /has not joined.*keys invite/],
])('judges %s', (_, facts, refusal) => {
  const found = installRefusal({ ...FACTS, ...facts });
  if (refusal === null) expect(found).toBe(null);
  else expect(found).toMatch(refusal);
});
