import type { Command, Option } from 'commander';

/** What the last word may become. */
export interface Suggestions {
  readonly words: readonly { readonly word: string; readonly description: string }[];
  /** Values that only the control plane knows. */
  readonly ids: 'jobs' | 'workers' | null;
  /** The word may be the path of a file. */
  readonly files: boolean;
}

const NONE: Suggestions = { words: [], ids: null, files: false };
const JOB_COMMANDS: ReadonlySet<string> = new Set([
  'job',
  'watch',
  'cancel',
  'retry',
  'results',
  'items',
  'item',
  'failures',
]);

/** Suggests what the last of the words may become. The command that the words name has all of its options. */
export function suggest(program: Command, words: readonly string[]): Suggestions {
  const typed = words.at(-1) ?? '';
  const { command, position, pending } = readWords(program, words.slice(0, -1));
  if (pending !== null) return optionValues(pending, typed);
  if (typed.startsWith('-')) {
    const options = command.createHelp().visibleOptions(command);
    return matching(
      options.map(({ long, short, description }) => ({ word: long ?? short ?? '', description })),
      typed,
    );
  }
  if (command.commands.length > 0 && position > 0) return NONE;
  if (command.commands.length > 0)
    return matching(
      command.commands.map((each) => ({ word: each.name(), description: each.description() })),
      typed,
    );
  const argument = command.registeredArguments[Math.min(position, command.registeredArguments.length - 1)];
  if (argument === undefined || (position >= command.registeredArguments.length && !argument.variadic))
    return NONE;
  if (argument.argChoices !== undefined) return choices(argument.argChoices, typed);
  if (argument.name() === 'id' && JOB_COMMANDS.has(command.name())) return { ...NONE, ids: 'jobs' };
  if (argument.name() === 'name') return { ...NONE, ids: 'workers' };
  return { ...NONE, files: /^files?$/.test(argument.name()) };
}

/** Finds the command of the words, how many arguments it has already, and the option that waits for its value. */
function readWords(program: Command, words: readonly string[]) {
  let command = program;
  let position = 0;
  let pending: Option | null = null;
  for (const word of words) {
    if (pending !== null) pending = null;
    else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      if (option !== undefined && (option.required || option.optional)) pending = option;
    } else {
      const child: Command | undefined = command.commands.find((each) => each.name() === word);
      if (child === undefined) position += 1;
      else command = child;
    }
  }
  return { command, position, pending };
}

function optionValues(option: Option, typed: string): Suggestions {
  if (option.argChoices !== undefined) return choices(option.argChoices, typed);
  if (option.long === '--worker-id') return { ...NONE, ids: 'workers' };
  if (option.long === '--job') return { ...NONE, ids: 'jobs' };
  return { ...NONE, files: /file|dir|output|join/.test(option.flags) };
}

const choices = (words: readonly string[], typed: string) =>
  matching(
    words.map((word) => ({ word, description: '' })),
    typed,
  );

function matching(words: Suggestions['words'], typed: string): Suggestions {
  return { ...NONE, words: words.filter(({ word }) => word.startsWith(typed)) };
}
