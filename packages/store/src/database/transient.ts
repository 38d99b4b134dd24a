/** Postgres gave up one of two transactions that waited for each other, or could not serialise it. */
const TRY_AGAIN = new Set(['40P01', '40001']);

/** Runs a statement again, once, where Postgres says that doing so may help. */
export async function onceMore<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && TRY_AGAIN.has(String(Reflect.get(error, 'code')))) return run();
    throw error;
  }
}
