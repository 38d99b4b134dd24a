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
  const given = Object.fromEntries(
    known.flatMap((name) => (env[name] === undefined || env[name] === '' ? [] : [[name, env[name]]])),
  );
  const parsed = schema.safeParse(given);
  const strangers = Object.keys(env).filter(
    (name) => name.startsWith('MACBATCH_') && !known.includes(name) && !alsoKnown.includes(name),
  );
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${withoutValue(issue)}`),
    ...strangers.map((name) => `${name}: is not a variable of this program`),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return parsed.data;
}

/** zod's own messages quote what they were given only for these. */
function withoutValue(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' && issue.input === undefined ? 'is not set' : issue.message;
}
