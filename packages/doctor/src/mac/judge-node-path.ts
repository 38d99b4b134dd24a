import { type Finding, finding } from '../finding.ts';

/** Folders of programs that keep several versions of Node, and delete old ones. */
const MANAGERS: readonly (readonly [name: string, folder: RegExp])[] = [
  ['nvm', /\/\.nvm\/versions\//],
  ['fnm', /\/fnm(?:_multishells|\/node-versions)\//],
  ['volta', /\/\.volta\//],
  ['asdf', /\/\.asdf\//],
  ['mise', /\/mise\/installs\//],
  ['nodenv', /\/\.nodenv\//],
  ['n', /\/n\/versions\/node\//],
];

/** Judges whether the Node at this path may vanish. `isService`: a service depends on it. */
export function judgeNodePath(path: string, isService: boolean): Finding {
  const state = isService ? 'warn' : 'info';
  const manager = MANAGERS.find(([, folder]) => folder.test(path))?.[0];
  if (manager !== undefined)
    return finding(
      'node path',
      state,
      `${path} belongs to ${manager}, which deletes it when that version is removed`,
      'For a service, use a Node that stays: brew install node@24, then install macbatch with its npm and run macbatch worker install.',
    );
  if (/\/Cellar\//.test(path))
    return finding(
      'node path',
      'info',
      `${path} is deleted at the next upgrade of Homebrew; the service looks for Node at each start`,
    );
  return finding('node path', 'ok', path);
}
