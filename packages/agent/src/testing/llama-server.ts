import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';

const MODEL = fileURLToPath(new URL('../../fixtures/tiny-demo-f16.gguf', import.meta.url));

export interface LlamaServer {
  /** Base URL of its API. */
  readonly url: string;
  readonly process: ChildProcess;
  kill(): Promise<void>;
}

/** Finds the program: the one in MACBATCH_LLAMA_SERVER, or the one on the path if it is not set. */
export function findLlamaServer(): string | undefined {
  const { MACBATCH_LLAMA_SERVER: named, PATH: path = '' } = process.env;
  if (named !== undefined && named !== '') {
    // A wrong setting must fail the tests, not skip them.
    if (!existsSync(named)) throw new Error(`MACBATCH_LLAMA_SERVER: ${named} does not exist`);
    return named;
  }
  return path
    .split(delimiter)
    .map((folder) => join(folder, 'llama-server'))
    .find((file) => existsSync(file));
}

/** Starts a server with the tiny demo model and waits until it answers. It is killed when the test has finished. */
export async function startLlamaServer(...flags: string[]): Promise<LlamaServer> {
  const server = await spawnLlamaServer(...flags);
  onTestFinished(() => server.kill());
  return server;
}

/** Like `startLlamaServer`, for a whole test file. The file has to kill it. */
export async function spawnLlamaServer(...flags: string[]): Promise<LlamaServer> {
  const port = await freePort();
  const server = spawn(
    findLlamaServer() ?? 'llama-server',
    ['-m', MODEL, '--alias', 'tiny-demo', '--host', '127.0.0.1', '--port', String(port)].concat(
      ['-c', '4096', '-np', '4', '--threads', '1', '--no-webui', '--jinja'],
      flags,
    ),
    { stdio: 'ignore' },
  );
  const exited = once(server, 'exit');
  await vi.waitFor(
    async () => {
      if (server.exitCode !== null) throw new Error(`llama-server ended with code ${server.exitCode}`);
      expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    },
    { timeout: 60_000, interval: 50 },
  );
  return {
    url: `http://127.0.0.1:${port}/v1`,
    process: server,
    async kill() {
      server.kill('SIGKILL');
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
