import type { ConnectionPool } from '@macbatch/connection';

/** Builds that one process remembers; more would mean a worker that makes names up. */
const REMEMBERED = 10_000;

export interface ModelBuild {
  readonly name: string;
  readonly digest: string | null;
}

/** The ids of model builds, which results refer to instead of repeating their names. */
export class ModelIds {
  readonly #pool: ConnectionPool;
  readonly #ids = new Map<string, number>();

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** The ids of `builds`, in their order; new builds are added. */
  async of(builds: readonly (ModelBuild | undefined)[]): Promise<(number | null)[]> {
    if (this.#ids.size > REMEMBERED) this.#ids.clear();
    const unknown = new Map<string, ModelBuild>();
    for (const build of builds) {
      if (build !== undefined && !this.#ids.has(keyOf(build))) unknown.set(keyOf(build), build);
    }
    if (unknown.size > 0) await this.#learn([...unknown.values()]);
    return builds.map((build) => (build === undefined ? null : (this.#ids.get(keyOf(build)) ?? null)));
  }

  async #learn(builds: readonly ModelBuild[]): Promise<void> {
    const names = builds.map((build) => build.name);
    const digests = builds.map((build) => build.digest);
    await this.#pool.run(
      async (sql) => sql`
      insert into models (name, digest) select * from unnest(${names}::text[], ${digests}::text[]) on conflict do nothing`,
    );
    const rows = await this.#pool.run(
      async (sql) => sql<{ id: number; name: string; digest: string | null }[]>`
      select models.id, models.name, models.digest
      from models join unnest(${names}::text[], ${digests}::text[]) as build (name, digest)
        on build.name = models.name and build.digest is not distinct from models.digest`,
    );
    for (const row of rows) this.#ids.set(keyOf(row), row.id);
  }
}

function keyOf(build: ModelBuild): string {
  return JSON.stringify([build.name, build.digest]);
}
