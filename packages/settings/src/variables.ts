import type { z } from 'zod';
import { CommandLineConfig } from './command-line-config.ts';
import { ControlConfig } from './control-config.ts';
import { RulesConfig } from './rules-config.ts';
import { WorkerConfig } from './worker-config.ts';

/** Lists the variables of a program. */
export function variablesOf(config: z.ZodObject): readonly string[] {
  return Object.keys(config.shape);
}

/**
 * The variables of all programs. A program ignores the variables of the others: people export them all in one
 * shell or keep them in one file.
 */
export const ALL_VARIABLES: readonly string[] = [
  ...new Set([CommandLineConfig, ControlConfig, WorkerConfig, RulesConfig].flatMap(variablesOf)),
];

/** Drops the variables of our programs that are empty: Compose files and shells cannot unset a variable. */
export function withoutEmptyVariables(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || !ALL_VARIABLES.includes(name)),
  );
}

/** Picks the variables of a program that an environment sets. */
export function pickVariables(
  config: z.ZodObject,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    variablesOf(config).flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
