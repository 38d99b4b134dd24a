/** How npm's scripts of this repository start the command line. */
const SCRIPTS: Readonly<Record<string, { readonly text: string; readonly omits: string | null }>> = {
  start: { text: 'npm start --', omits: 'run' },
  macbatch: { text: 'npm run macbatch --', omits: null },
};

/** Returns the text of a command of this program, as the user would type it in the same place. */
export function ownCommand(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): string {
  const script = SCRIPTS[env['npm_lifecycle_event'] ?? ''];
  const shown = script?.omits === args[0] ? args.slice(1) : args;
  return [script?.text ?? 'macbatch', ...shown.map(quoted)].join(' ');
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
