/** A model as a worker ran it: its server's name for it, and a digest if the server tells one. */
export interface RunBuild {
  readonly name: string;
  readonly digest: string | null;
}

/**
 * Returns whether outcomes of these builds may differ. The digest identifies a build, whatever its name. A build without
 * a digest is identified by its name, and may differ from every build with a digest.
 */
export function mixesBuilds(builds: readonly RunBuild[]): boolean {
  const identities = builds.map(({ name, digest }) =>
    JSON.stringify(digest === null ? { name } : { digest }),
  );
  return new Set(identities).size > 1;
}
