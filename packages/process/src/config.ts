import type { z } from 'zod';

/** The environment does not say what a program needs. Names every variable at fault, never a value. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not right:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads a configuration. `schema` has one member for each variable, by the variable's own name; other
 * variables are left alone, but one with the prefix `MACBATCH_` that nobody knows is a typing error.
 */
export function readConfig<Shape extends z.ZodObject>(
  schema: Shape,
  env: Readonly<Record<string, string | undefined>>,
  alsoKnown: readonly string[] = [],
): z.output<Shape> {
  const known = Object.keys(schema.shape);
  // An empty variable is one that was not set: Compose files and shells can't unset one.
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(
    Object.fromEntries(Object.entries(set).filter(([name]) => known.includes(name))),
  );
  const strangers = Object.keys(set).filter(
    (name) => name.startsWith('MACBATCH_') && !known.includes(name) && !alsoKnown.includes(name),
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

/** Of zod's own messages only this one quotes what it was given: the members of a record that it does not know. */
function withoutValue(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys' ? 'has a member that it does not take' : issue.message;
}
