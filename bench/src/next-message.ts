import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Resolves with the next message of a child process. Rejects if the process ends first. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the benchmark ended with ${code}`);
  });
  failed.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), failed]);
  return message as Message;
}
