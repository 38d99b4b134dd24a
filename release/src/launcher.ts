import type { NodeVersion } from './node-version.ts';

/**
 * Returns the text of a program that checks the version of Node, then runs `program`. It must run on any version that
 * knows ES modules: on an old one, the imports of the real program fail with a message that does not help.
 */
export function launcherText(program: string, [major, minor]: NodeVersion): string {
  return `#!/usr/bin/env node
import module from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error(\`macbatch needs Node ${major}.${minor} or newer. This is Node \${process.versions.node}: \${process.execPath}\`);
  process.exit(2);
}
// Compiled code is kept in the folder for temporary files. Programs start in half the time.
module.enableCompileCache();
await import('${program}');
`;
}
