import type { ConnectionPool } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { models } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** Limit on the builds that one process caches, in case a worker reports invented names. */
const MAX_BUILDS_REMEMBERED = 10_000;

/** A model as a worker loaded it. */
export interface ModelBuild {
  readonly name: string;
  readonly digest: string | null;
}

/** Two arrays with an element for each build. */
type BuildArguments = { names: readonly string[]; digests: readonly (string | null)[] };

const insertModels = statement<BuildArguments, never>(
  (arg) => sql`
  insert into ${models} (name, digest)
  select * from unnest(${arg.names('text[]')}, ${arg.digests('text[]')}) on conflict do nothing`,
);

const readModelIds = statement<BuildArguments, ModelBuild & { readonly id: number }>(
  (arg) => sql`
  select ${models.id}, ${models.name}, ${models.digest}
  from ${models} join unnest(${arg.names('text[]')}, ${arg.digests('text[]')}) as build (name, digest)
    on build.name = ${models.name} and build.digest is not distinct from ${models.digest}`,
);

/** The ids of model builds. Results refer to an id instead of repeating the name. */
export class ModelIds {
  readonly #pool: ConnectionPool;
  readonly #ids = new Map<string, number>();

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** Returns the id of each build, in order, and null for undefined. Stores builds that are new. */
  async of(builds: readonly (ModelBuild | undefined)[]): Promise<(number | null)[]> {
    if (this.#ids.size > MAX_BUILDS_REMEMBERED) this.#ids.clear();
    const unknown = new Map<string, ModelBuild>();
    for (const build of builds) {
      if (build !== undefined && !this.#ids.has(keyOf(build))) unknown.set(keyOf(build), build);
    }
    if (unknown.size > 0) await this.#learn([...unknown.values()]);
    return builds.map((build) => (build === undefined ? null : (this.#ids.get(keyOf(build)) ?? null)));
  }

  async #learn(builds: readonly ModelBuild[]): Promise<void> {
    const args = { names: builds.map(({ name }) => name), digests: builds.map(({ digest }) => digest) };
    await insertModels.run(this.#pool, args);
    for (const row of await readModelIds.run(this.#pool, args)) this.#ids.set(keyOf(row), row.id);
  }
}

function keyOf({ name, digest }: ModelBuild): string {
  return JSON.stringify([name, digest]);
}
