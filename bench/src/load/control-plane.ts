import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nextMessage } from '../next-message.ts';

/** A control plane in another process. */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  usage(): Promise<{ readonly cpuSeconds: number; readonly peakMb: number }>;
}

/** Starts a control plane, or another server to compare it with. */
export async function startControlPlane(
  databaseUrl: string,
  program: 'serve.ts' | 'whole-body.ts' = 'serve.ts',
): Promise<ControlPlane> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [databaseUrl]);
  const { port } = await nextMessage<{ port: number }>(child);
  return {
    url: `http://127.0.0.1:${port}`,
    usage() {
      const usage = nextMessage<{ cpuSeconds: number; peakMb: number }>(child);
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
