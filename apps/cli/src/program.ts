import { EXIT, type Terminal } from '@macbatch/terminal';
import { Command, CommanderError } from 'commander';
import { LOADERS } from './commands/command-loaders.ts';
import { addCommand, COMMANDS, type CommandName } from './commands/command-names.ts';
import { VERSION } from './version.ts';

/**
 * Runs the command line. Returns the exit code. Loads only the code of the command that runs: a list of the commands
 * appears as fast as Node starts.
 */
export async function runProgram(argv: readonly string[], given: Terminal): Promise<number> {
  const program = new Command('macbatch')
    .description('Batch inference on the Macs you already own.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => given.stdout.write(text),
      writeErr: (text) => given.stderr.write(text),
    })
    .showHelpAfterError('(--help lists the commands and options)');
  const name = commandOf(argv);
  const terminal = name === undefined ? given : await loadCommand(name, program, argv, given);
  for (const each of COMMAND_NAMES)
    if (!program.commands.some((command) => command.name() === each)) addCommand(program, each);
  for (const command of program.commands) command.copyInheritedSettings(program);
  if (isCompletion(argv)) {
    const { printSuggestions } = await import('./completion/print-suggestions.ts');
    await printSuggestions(program, argv.slice(WORDS_AT), terminal);
    return EXIT.ok;
  }
  try {
    await program.parseAsync(argv);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { reportFailure } = await import('./report-failure.ts');
    return reportFailure(error, given);
  }
}

const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** Position of the words in `macbatch complete -- WORD…`, which the scripts of `macbatch completion` call. */
const WORDS_AT = 4;
const isCompletion = (argv: readonly string[]) => argv[2] === 'complete' && argv[3] === '--';

/** Returns the command that the arguments name, also in `help NAME`, or in the words to complete. */
function commandOf(argv: readonly string[]): CommandName | undefined {
  const [first, second] = isCompletion(argv) ? argv.slice(WORDS_AT) : argv.slice(2);
  return COMMAND_NAMES.find((name) => name === (first === 'help' ? second : first));
}

async function loadCommand(
  name: CommandName,
  program: Command,
  argv: readonly string[],
  given: Terminal,
): Promise<Terminal> {
  const [add, { programEnv }] = await Promise.all([LOADERS[name](), import('./options/program-env.ts')]);
  let env: Terminal['env'] | undefined;
  const terminal: Terminal = {
    ...given,
    // Read when a command runs, so that --help works with any configuration file.
    get env() {
      env ??= programEnv(argv, given.env);
      return env;
    },
  };
  add(program, terminal);
  return terminal;
}
