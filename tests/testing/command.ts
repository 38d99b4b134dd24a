import { runInProcess } from '../../apps/cli/src/testing/run-in-process.ts';
import type { Ended } from './program.ts';

/**
 * Runs the `macbatch` command line in this process, which takes a tenth of the processor time of `macbatch`. For
 * commands whose process is not what the test is about.
 */
export async function command(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  const env = { MACBATCH_CONFIG: '/dev/null', ...options.env };
  const { code, ...output } = await runInProcess(args, { ...options, env });
  return { exit: code, ...output };
}
