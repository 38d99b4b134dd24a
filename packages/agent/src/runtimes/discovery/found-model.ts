import type { EndpointJobType } from '../endpoint/completion-request.ts';
import { elements, member } from '../json-value.ts';

/** A model that a discovered server lists. */
export interface FoundModel {
  /** The server's name for it. */
  readonly name: string;
  readonly jobTypes: readonly EndpointJobType[];
  /** In memory now; null if the server does not say. */
  readonly loaded: boolean | null;
  /** The most tokens of a prompt and its answer together; null if the server does not say. */
  readonly contextLength: number | null;
}

/** Most models of one server. */
const MAX_MODELS = 100;
/** The control plane's limit for the name of a model, in characters. */
const MAX_NAME_LENGTH = 200;
const MAX_CONTEXT_LENGTH = 1_000_000_000;

/** Whether a job can name a model like this. */
export function isModelName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name !== '' &&
    name.length <= MAX_NAME_LENGTH &&
    name.trim() === name &&
    name.isWellFormed() &&
    !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)
  );
}

/** Reads a number of tokens; null for anything else. */
export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_CONTEXT_LENGTH
    ? value
    : null;
}

/**
 * Reads a list of models. Leaves out names that no job can have, and later models with the same name. Of more than 100
 * models, keeps the loaded ones first.
 */
export function readModels(
  list: unknown,
  nameMember: string,
  read: (entry: unknown) => Omit<FoundModel, 'name'> | null,
): readonly FoundModel[] {
  const models = new Map<string, FoundModel>();
  for (const entry of elements(list)) {
    const name = member(entry, nameMember);
    if (!isModelName(name) || models.has(name)) continue;
    const model = read(entry);
    if (model !== null) models.set(name, { name, ...model });
  }
  const all = [...models.values()];
  return [
    ...all.filter(({ loaded }) => loaded === true),
    ...all.filter(({ loaded }) => loaded !== true),
  ].slice(0, MAX_MODELS);
}
