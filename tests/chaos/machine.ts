import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';

const WORKSPACE = resolve(import.meta.dirname, '../..');

export interface MachineOptions {
  readonly app: 'control' | 'worker';
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** A program that can be killed, frozen and started again. */
export class Machine {
  readonly name: string;
  readonly #options: MachineOptions;
  #child: ChildProcess | null = null;
  #frozen = false;
  kills = 0;

  constructor(options: MachineOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get running(): boolean {
    return this.#child !== null && !this.#frozen;
  }

  start(): void {
    const { app, env, folder } = this.#options;
    const log = openSync(join(folder, `${this.name}.log`), 'a');
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(MACBATCH_|VITEST|NO_COLOR)/.test(name)),
    );
    const child = spawn(process.execPath, [join(WORKSPACE, 'apps', app, 'src/main.ts')], {
      env: { ...inherited, NODE_COMPILE_CACHE: join(WORKSPACE, 'node_modules/.cache/compile'), ...env },
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    child.once('exit', () => {
      if (this.#child === child) this.#child = null;
    });
    this.#child = child;
    this.#frozen = false;
  }

  async kill(): Promise<void> {
    if (this.#child === null) return;
    this.kills += 1;
    await this.#end('SIGKILL');
  }

  /** Freezes the program, like a closed lid. */
  freeze(): void {
    this.#frozen = this.#child?.kill('SIGSTOP') ?? false;
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
    this.#frozen = false;
  }

  async stop(): Promise<void> {
    this.thaw();
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    if (this.#frozen) child.kill('SIGCONT');
    await exited;
  }
}
