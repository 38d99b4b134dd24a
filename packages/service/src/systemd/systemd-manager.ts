import { rm } from 'node:fs/promises';
import { EXIT, Failure } from '@macbatch/terminal';
import { replaceFileAs } from '../replace-file-as.ts';
import type { ServiceHost } from '../service-host.ts';
import type { Installed, ServiceManager } from '../service-manager.ts';
import { UNIT } from '../service-paths.ts';
import type { ServiceState } from '../service-state.ts';
import { PROPERTIES, parseShow } from './parse-show.ts';

/** Controls the worker with the systemd of this user. `boot`: the user's systemd starts with the machine. */
export class SystemdManager implements ServiceManager {
  readonly kind = 'systemd';
  readonly #host: ServiceHost;
  readonly #boot: boolean;

  constructor(host: ServiceHost, boot: boolean) {
    this.#host = host;
    this.#boot = boot;
  }

  async install(definition: string, text: string): Promise<Installed> {
    if ((await this.state()).running) await this.#must('stop', UNIT);
    await replaceFileAs(0o644, definition, text);
    await this.#must('daemon-reload');
    // An earlier service may have failed too often.
    await this.#systemctl('reset-failed', UNIT);
    await this.#must('enable', '--now', UNIT);
    return this.#boot ? this.#linger() : { enabledLinger: false, note: null };
  }

  async uninstall(definition: string, { enabledLinger }: Pick<Installed, 'enabledLinger'>): Promise<void> {
    if ((await this.state()).loaded) await this.#must('disable', '--now', UNIT);
    await rm(definition, { force: true });
    await this.#must('daemon-reload');
    await this.#systemctl('reset-failed', UNIT);
    if (enabledLinger) await this.#host.run('loginctl', ['disable-linger']);
  }

  async start(): Promise<void> {
    await this.#systemctl('reset-failed', UNIT);
    await this.#must('start', UNIT);
  }

  async stop(): Promise<void> {
    await this.#must('stop', UNIT);
  }

  async restart(): Promise<void> {
    await this.#systemctl('reset-failed', UNIT);
    await this.#must('restart', UNIT);
  }

  async state(): Promise<ServiceState> {
    const { code, stdout, stderr } = await this.#systemctl(
      'show',
      UNIT,
      `--property=${PROPERTIES.join(',')}`,
    );
    if (code !== 0)
      throw new Failure(
        EXIT.incomplete,
        `The systemd of this user does not answer: ${stderr.trim()}. Log in as the user itself (not with su or sudo), or run once: loginctl enable-linger`,
      );
    return parseShow(stdout);
  }

  #systemctl(...args: readonly string[]) {
    return this.#host.run('systemctl', ['--user', ...args]);
  }

  async #must(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#systemctl(...args);
    if (code !== 0)
      throw new Failure(
        EXIT.incomplete,
        `systemctl --user ${args.join(' ')} failed (exit code ${code}): ${stderr.trim()}`,
      );
  }

  /** Lets the services of this user run without a login. */
  async #linger(): Promise<Installed> {
    const before = await this.#host.run('loginctl', [
      'show-user',
      '--property=Linger',
      String(this.#host.userId),
    ]);
    if (before.stdout.trim() === 'Linger=yes') return { enabledLinger: false, note: null };
    const { code, stderr } = await this.#host.run('loginctl', ['enable-linger']);
    if (code === 0) return { enabledLinger: true, note: null };
    return {
      enabledLinger: false,
      note: `It starts only when this user logs in: ${stderr.trim().split('\n')[0]} To start it with the machine: sudo loginctl enable-linger USER`,
    };
  }
}
