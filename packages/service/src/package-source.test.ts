import { expect, it } from 'vitest';
import { packageSource, stableProgram, upgradeSteps } from './package-source.ts';

it.each([
  [
    '/opt/homebrew/lib/node_modules/macbatch/dist/worker.js',
    { kind: 'npm_global', prefix: '/opt/homebrew' },
    'npm install --global --prefix /opt/homebrew macbatch@latest',
  ],
  [
    '/Users/a/.nvm/versions/node/v24.1.0/lib/node_modules/macbatch/dist/worker.js',
    { kind: 'npm_global', prefix: '/Users/a/.nvm/versions/node/v24.1.0' },
    'npm install --global --prefix /Users/a/.nvm/versions/node/v24.1.0 macbatch@latest',
  ],
  [
    '/opt/homebrew/Cellar/macbatch/0.1.0/libexec/lib/node_modules/macbatch/dist/worker.js',
    { kind: 'homebrew' },
    'brew upgrade macbatch',
  ],
  [
    '/Users/a/macbatch/apps/worker/src/main.ts',
    { kind: 'checkout', folder: '/Users/a/macbatch' },
    'git pull --ff-only && npm run --silent macbatch -- --version',
  ],
  ['/Users/a/.npm/_npx/0123/node_modules/macbatch/dist/worker.js', { kind: 'npx_cache' }, null],
  ['/Users/a/Library/Caches/pnpm/dlx/x/node_modules/macbatch/dist/worker.js', { kind: 'npx_cache' }, null],
  [
    '/Users/a/app/node_modules/macbatch/dist/worker.js',
    { kind: 'project', folder: '/Users/a/app' },
    'npm install macbatch@latest',
  ],
  ['/Users/a/worker.js', { kind: 'unknown' }, null],
])('finds out how %s was installed, and how it is upgraded', (program, source, steps) => {
  expect(packageSource(program)).toEqual(source);
  const commands = upgradeSteps(packageSource(program))?.map(({ file, args }) => [file, ...args].join(' '));
  expect(commands?.join(' && ') ?? null).toBe(steps);
});

it('replaces the folder of a version of Homebrew, which an upgrade deletes', () => {
  expect(stableProgram('/opt/homebrew/Cellar/macbatch/0.1.0/libexec/lib/x.js')).toBe(
    '/opt/homebrew/opt/macbatch/libexec/lib/x.js',
  );
  expect(stableProgram('/usr/local/lib/x.js')).toBe('/usr/local/lib/x.js');
});
