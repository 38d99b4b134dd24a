import type { z } from 'zod';
import { ALL_VARIABLES } from './variables.ts';

/** The configuration of a program is wrong. The message names each variable at fault and never a value. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not right:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Reads the configuration of a program from the environment. The members of `schema` are the names of the
 * variables. Ignores other variables, except one with the prefix `MACBATCH_` that no program has: that is a typing
 * error. Throws `ConfigError` with all problems in one message.
 */
export function readConfig<Shape extends z.ZodObject>(
  schema: Shape,
  env: Readonly<Record<string, string | undefined>>,
): z.output<Shape> {
  const known = Object.keys(schema.shape);
  // Compose files and shells cannot unset a variable, only empty it.
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(
    Object.fromEntries(Object.entries(set).filter(([name]) => known.includes(name))),
  );
  const strangers = Object.keys(set).filter(
    (name) => name.startsWith('MACBATCH_') && !known.includes(name) && !ALL_VARIABLES.includes(name),
  );
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => {
      const [variable] = issue.path;
      const missing = issue.path.length === 1 && !Object.hasOwn(set, String(variable));
      return `${issue.path.join('.')}: ${missing ? 'is not set' : withoutValue(issue)}`;
    }),
    ...strangers.map((name) => `${name}: is not a variable of this program`),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data;
}

/** Zod's messages quote no values, except this one: it quotes unknown members of an object. */
function withoutValue(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys' ? 'has an unknown member' : issue.message;
}
