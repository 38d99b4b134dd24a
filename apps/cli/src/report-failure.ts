import { ApiError, Unreachable, UnreadableReply } from '@macbatch/client';
import { hideSecrets } from '@macbatch/core';
import { EXIT, Failure, printLine, type Terminal } from '@macbatch/terminal';

/** Prints why a command failed. Returns the exit code. */
export function reportFailure(error: unknown, terminal: Terminal): number {
  if (terminal.interrupted.aborted) return EXIT.interrupted;
  const complain = (problem: string) => printLine(terminal.stderr, `macbatch: ${hideSecrets(problem)}`);
  if (error instanceof Failure) {
    if (error.message !== '') complain(error.message);
    return error.exitCode;
  }
  if (error instanceof ApiError) {
    complain(error.message);
    return error.status < 500 ? EXIT.usage : EXIT.unavailable;
  }
  if (error instanceof Unreachable || error instanceof UnreadableReply) {
    const hint = error.message.includes('ECONNREFUSED')
      ? '\nStart a control plane with macbatch up, or name another with --url or MACBATCH_URL.'
      : '';
    complain(`${error.message}${hint}`);
    return EXIT.unavailable;
  }
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (error instanceof Error && typeof code === 'string' && /^E[A-Z]+$/.test(code)) {
    complain(error.message);
    return EXIT.usage;
  }
  complain(`this is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return EXIT.unavailable;
}
