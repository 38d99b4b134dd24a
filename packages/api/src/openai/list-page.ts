/** Makes a page of a list, as OpenAI describes it, of one more object than the page may have. */
export function listPage<Shown extends { readonly id: string }>(found: readonly Shown[], limit: number) {
  const data = found.slice(0, limit);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}
