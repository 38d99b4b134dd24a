/** The name that people gave a job, or the beginning of its id. */
export function jobName({ id, name }: { readonly id: string; readonly name: string | null }): string {
  return name ?? `job ${id.slice(0, 8)}`;
}
