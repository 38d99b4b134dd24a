import leven from 'leven';

/** Finds the name that is most similar to a misspelt one; undefined when none is similar. */
export function nearestName(misspelt: string, names: readonly string[]): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, distance: leven(misspelt, name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return nearest?.name;
}
