import type { Runtime, WithdrawnOffer } from './runtime.ts';

/** Has a runtime look whether offers work again. A runtime that cannot look, or fails to, says no. */
export async function probeOffers(
  runtime: Runtime | undefined,
  offers: readonly WithdrawnOffer[],
): Promise<readonly (WithdrawnOffer & { readonly works: boolean })[]> {
  const works = (await runtime?.probe?.(offers).catch(() => [])) ?? [];
  return offers.map((each, index) => ({ ...each, works: works[index] === true }));
}
