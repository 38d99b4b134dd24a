/** `deadlock_detected` and `serialization_failure`. */
const CONFLICTS = new Set(['40P01', '40001']);

/** Runs a statement, and runs it a second time when Postgres ended it because of another transaction. */
export async function retryOnConflict<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && CONFLICTS.has(String(Reflect.get(error, 'code')))) return run();
    throw error;
  }
}
