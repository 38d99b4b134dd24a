import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A control plane that runs in a process of its own. */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  usage(): Promise<{ readonly cpuSeconds: number; readonly peakMb: number }>;
}

export async function startControlPlane(
  databaseUrl: string,
  program: 'serve.ts' | 'whole-body.ts' = 'serve.ts',
): Promise<ControlPlane> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [databaseUrl]);
  const { port } = await reply<{ port: number }>(child);
  return {
    url: `http://127.0.0.1:${port}`,
    usage() {
      const usage = reply<{ cpuSeconds: number; peakMb: number }>(child);
      child.send('usage');
      return usage;
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

/** The next message of a child process. */
export async function reply<Message>(child: ChildProcess): Promise<Message> {
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the benchmark ended with ${code}`);
  });
  failed.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), failed]);
  return message as Message;
}
