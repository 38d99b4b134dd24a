import { type Finding, finding } from '../finding.ts';

/** Judges whether several copies of macbatch are installed, from the real paths of their programs. */
export function judgeInstalls(programs: readonly string[], serviceProgram: string | null): Finding {
  const all = serviceProgram === null ? programs : [...programs, serviceProgram];
  const roots = [...new Set(all.map(installRoot))];
  if (roots.length <= 1) return finding('installation', 'ok', roots[0] ?? 'macbatch is not on the PATH');
  const service =
    serviceProgram === null ? '' : `; the service runs the one in ${installRoot(serviceProgram)}`;
  return finding(
    'installation',
    'warn',
    `macbatch is installed ${roots.length} times: ${roots.join(', ')}${service}`,
    'Remove all but one (npm uninstall --global macbatch, brew uninstall macbatch), then run: macbatch worker install',
  );
}

/** Returns the folder of the copy of macbatch that a program belongs to. */
function installRoot(program: string): string {
  const homebrew = /^(.*)\/(?:Cellar|opt)\/macbatch\//.exec(program)?.[1];
  if (homebrew !== undefined) return `${homebrew}/opt/macbatch`;
  return (
    /^(.*\/node_modules\/macbatch)\//.exec(program)?.[1] ??
    /^(.*)\/apps\/[^/]+\/src\/main\.ts$/.exec(program)?.[1] ??
    program
  );
}
