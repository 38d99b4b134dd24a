import { readFile } from 'node:fs/promises';
import { EXIT, Failure } from '@macbatch/terminal';
import type { ServiceContext, WorkerDescription } from './service-context.ts';
import type { SignOfLife } from './sign-of-life.ts';

/** Says whether the started worker works. Throws a `Failure` if it does not. */
export async function reportSign(
  context: ServiceContext,
  sign: SignOfLife | null,
  { worker_id, url }: Pick<WorkerDescription, 'worker_id' | 'url'>,
  crashLog: string,
): Promise<void> {
  switch (sign?.kind) {
    case 'alive':
      return context.say(`Worker ${worker_id} is running, and ${url} has answered its heartbeat.`);
    case 'unanswered':
      throw new Failure(
        EXIT.unavailable,
        `Worker ${worker_id} is running, but ${url} has not answered yet${sign.problem === null ? '' : `: ${sign.problem}`}. It goes on trying. See: macbatch worker logs`,
      );
    case 'failed':
      throw new Failure(EXIT.incomplete, `Worker ${worker_id} cannot work: ${sign.reason}`);
    default: {
      const words = (await readFile(crashLog, 'utf8').catch(() => ''))
        .trim()
        .split('\n')
        .slice(-5)
        .join('\n');
      throw new Failure(
        EXIT.incomplete,
        `The service was started, but the worker has shown no sign of life. See: macbatch worker status${words === '' ? '' : `\n${words}`}`,
      );
    }
  }
}
