import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The program that users run, pages included, in another process. */
export interface WholeControlPlane extends AsyncDisposable {
  readonly url: string;
  /** CPU seconds that it has used so far. */
  cpuSeconds(): Promise<number>;
}

/** Starts the control plane's own program on a database. */
export async function startWholeControlPlane(databaseUrl: string): Promise<WholeControlPlane> {
  const program = fileURLToPath(
    new URL('src/main.ts', import.meta.resolve('@macbatch/control/package.json')),
  );
  const child = fork(program, {
    env: { ...process.env, MACBATCH_DATABASE_URL: databaseUrl, MACBATCH_PORT: '0' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', (message: { readonly event?: string; readonly url?: string }) => {
      if (message.event === 'control.listening' && message.url !== undefined) resolve(message.url);
    });
    child.once('exit', (code) => reject(new Error(`the control plane ended with ${code}`)));
  });
  return {
    url,
    async cpuSeconds() {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const found = /^process_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1];
      if (found === undefined) throw new Error('/metrics does not tell the CPU time');
      return Number(found);
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}
