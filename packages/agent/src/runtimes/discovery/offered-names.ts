import { endpointWorkTypes } from '../endpoint/raw-request.ts';
import type { Offer } from '../runtime.ts';
import type { FoundModel } from './found-model.ts';

/** Most names that one server is offered under: all servers together stay below the 1000 models of a heartbeat. */
const MAX_NAMES = 150;

/** From the name that jobs use to the model that runs them. */
export type OfferedNames = ReadonlyMap<string, FoundModel>;

/**
 * Lists the names under which the models of a server are offered: the aliases that name one of them, their own names, and
 * those without `:latest`, as Ollama understands them. `aliases` maps an alias to the name of a model.
 */
export function offeredNames(
  models: readonly FoundModel[],
  aliases: Readonly<Record<string, string>>,
): OfferedNames {
  const byName = new Map(models.map((model) => [model.name, model] as const));
  const aliased = Object.entries(aliases).flatMap(([alias, name]) => {
    const model = byName.get(name) ?? byName.get(`${name}:latest`);
    return model === undefined ? [] : [[alias, model] as const];
  });
  const names = new Map<string, FoundModel>();
  const shorter = models.map((model) => [model.name.replace(/:latest$/, ''), model] as const);
  for (const [name, model] of [...aliased, ...byName, ...shorter]) {
    if (names.size < MAX_NAMES && name !== '' && !names.has(name)) names.set(name, model);
  }
  return names;
}

/** The offers of models under their names. */
export function offersOf(names: OfferedNames): readonly Offer[] {
  return [...names].flatMap(([model, { jobTypes }]) =>
    endpointWorkTypes(jobTypes).map((job_type) => ({ job_type, model })),
  );
}
