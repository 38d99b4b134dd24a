import { expect, it } from 'vitest';
import { stableNode } from './stable-node.ts';

const CELLAR = '/opt/homebrew/Cellar/node@24/24.1.0/bin/node';
const FNM = '/Users/a/.local/share/fnm/node-versions/v24.1.0/installation/bin/node';

it.each<[string, string, Record<string, string>, string[], string]>([
  [
    'Homebrew',
    CELLAR,
    { '/opt/homebrew/opt/node@24/bin/node': CELLAR },
    [],
    '/opt/homebrew/opt/node@24/bin/node',
  ],
  [
    'a link on the PATH',
    CELLAR,
    { '/opt/homebrew/bin/node': CELLAR },
    ['/opt/homebrew/bin'],
    '/opt/homebrew/bin/node',
  ],
  [
    'a link of one shell',
    FNM,
    { '/x/fnm_multishells/1_2/bin/node': FNM },
    ['/x/fnm_multishells/1_2/bin'],
    FNM,
  ],
  ['another Node on the PATH', FNM, { '/usr/bin/node': '/usr/bin/node' }, ['', '.', '/usr/bin'], FNM],
])('finds a path that lasts for a Node of %s', (_, execPath, links, pathFolders, found) => {
  const realPath = (path: string) => (path === execPath ? path : (links[path] ?? null));
  expect(stableNode({ execPath, pathFolders, realPath })).toBe(found);
});
