import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, Failure } from '@macbatch/terminal';
import { replaceFileAs } from '../replace-file-as.ts';
import type { Ran, ServiceHost } from '../service-host.ts';
import type { Installed, ServiceManager } from '../service-manager.ts';
import { LABEL } from '../service-paths.ts';
import { NOT_LOADED, type ServiceState } from '../service-state.ts';
import { isSwitchedOff, parsePrint } from './parse-print.ts';

/** The service may take its exit time of 30 s, after which launchd kills it. */
const GONE_MS = 40_000;
const POLL_MS = 250;
const RETRY_MS = 2000;

/** Controls the worker with launchctl, as an agent of this user or (`boot`) as a daemon of the system. */
export class LaunchdManager implements ServiceManager {
  readonly kind = 'launchd';
  readonly #host: ServiceHost;
  readonly #boot: boolean;

  constructor(host: ServiceHost, boot: boolean) {
    this.#host = host;
    this.#boot = boot;
  }

  async install(definition: string, text: string): Promise<Installed> {
    await this.#bootout();
    if (this.#boot) await this.#installAsRoot(definition, text);
    else await replaceFileAs(0o644, definition, text);
    await this.#bootstrap(definition);
    return { enabledLinger: false, note: null };
  }

  async uninstall(definition: string): Promise<void> {
    await this.#bootout();
    if (this.#boot) await this.#must('sudo', ['rm', '-f', definition], 'The property list was not removed');
    else await rm(definition, { force: true });
  }

  async start(definition: string): Promise<void> {
    const target = await this.#loadedTarget();
    if (target === null) await this.#bootstrap(definition);
    else await this.#must(...this.#asOwner(['kickstart', target]), 'launchd did not start the worker');
  }

  async stop(): Promise<void> {
    await this.#bootout();
  }

  async restart(definition: string): Promise<void> {
    const target = await this.#loadedTarget();
    if (target === null) return this.#bootstrap(definition);
    // The signal lets the worker hand back what it holds. kickstart -k may kill at once.
    const { pid } = parsePrint((await this.#launchctl('print', target)).stdout);
    await this.#host.run(...this.#asOwner(['kill', 'SIGTERM', target]));
    await this.#until(async () => {
      const now = parsePrint((await this.#launchctl('print', target)).stdout);
      return now.pid === null || now.pid !== pid;
    });
    await this.#must(...this.#asOwner(['kickstart', '-k', target]), 'launchd did not restart the worker');
  }

  async state(): Promise<ServiceState> {
    const switchedOff = await this.#isSwitchedOff();
    const target = await this.#loadedTarget();
    if (target === null) return { ...NOT_LOADED, switchedOff };
    return { ...parsePrint((await this.#launchctl('print', target)).stdout), switchedOff };
  }

  #launchctl(...args: readonly string[]): Promise<Ran> {
    return this.#host.run('launchctl', args);
  }

  /** Only root may change a daemon of the system. */
  #asOwner(args: readonly string[]): [file: string, args: readonly string[]] {
    return this.#boot ? ['sudo', ['launchctl', ...args]] : ['launchctl', args];
  }

  /** The domains in which the service may be: over SSH, without anybody at the screen, there is no `gui` domain. */
  #domains(): readonly string[] {
    return this.#boot ? ['system'] : [`gui/${this.#host.userId}`, `user/${this.#host.userId}`];
  }

  async #loadedTarget(): Promise<string | null> {
    for (const domain of this.#domains())
      if ((await this.#launchctl('print', `${domain}/${LABEL}`)).code === 0) return `${domain}/${LABEL}`;
    return null;
  }

  async #usableDomains(): Promise<readonly string[]> {
    const usable: string[] = [];
    for (const domain of this.#domains())
      if ((await this.#launchctl('print', domain)).code === 0) usable.push(domain);
    return usable;
  }

  async #isSwitchedOff(): Promise<boolean> {
    for (const domain of this.#domains())
      if (isSwitchedOff((await this.#launchctl('print-disabled', domain)).stdout, LABEL)) return true;
    return false;
  }

  /** Unloads the service, and waits until it is gone: launchd answers before the service has ended. */
  async #bootout(): Promise<void> {
    for (let target = await this.#loadedTarget(); target !== null; target = await this.#loadedTarget()) {
      const loaded = target;
      const { stderr } = await this.#host.run(...this.#asOwner(['bootout', loaded]));
      const gone = await this.#until(async () => (await this.#launchctl('print', loaded)).code !== 0);
      if (!gone)
        throw new Failure(
          EXIT.incomplete,
          `launchd does not unload the worker${withWords(stderr)}. Try again, or restart the Mac.`,
        );
    }
  }

  /** Loads the service. Judges by whether it is there, because launchctl may report success without effect. */
  async #bootstrap(definition: string): Promise<void> {
    const domains = await this.#usableDomains();
    if (domains.length === 0)
      throw new Failure(
        EXIT.incomplete,
        'launchd has no session of this user: log in once at the screen of this Mac, or use "macbatch worker install --boot".',
      );
    let last: Ran = { code: 0, stdout: '', stderr: '' };
    for (const domain of domains) {
      const target = `${domain}/${LABEL}`;
      if (!this.#boot || (await this.#isSwitchedOff()))
        await this.#host.run(...this.#asOwner(['enable', target]));
      for (const attempt of [1, 2]) {
        if (attempt === 2) await this.#host.sleep(RETRY_MS);
        last = await this.#host.run(...this.#asOwner(['bootstrap', domain, definition]));
        if ((await this.#launchctl('print', target)).code === 0) return;
      }
    }
    throw new Failure(
      EXIT.incomplete,
      last.code === 0
        ? 'launchctl reported success, but launchd has not loaded the worker. Log in at the screen of this Mac and try again, or use --boot.'
        : `launchd did not load the worker (exit code ${last.code}${withWords(last.stderr)}). ${await this.#loadHint()}`,
    );
  }

  async #loadHint(): Promise<string> {
    if (await this.#isSwitchedOff())
      return 'It is switched off: allow macbatch-worker in System Settings > General > Login Items.';
    return 'Check System Settings > General > Login Items, and that this user owns the property list.';
  }

  async #installAsRoot(definition: string, text: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'macbatch-plist-'));
    try {
      const draft = join(folder, `${LABEL}.plist`);
      await writeFile(draft, text);
      const args = ['install', '-o', 'root', '-g', 'wheel', '-m', '644', draft, definition];
      await this.#must('sudo', args, 'The property list was not installed');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #must(file: string, args: readonly string[], problem: string): Promise<void> {
    const { code, stderr } = await this.#host.run(file, args);
    if (code !== 0) throw new Failure(EXIT.incomplete, `${problem} (exit code ${code}${withWords(stderr)}).`);
  }

  /** Waits for a condition. Returns whether it came true in time. */
  async #until(isTrue: () => Promise<boolean>): Promise<boolean> {
    const deadline = this.#host.now() + GONE_MS;
    for (;;) {
      if (await isTrue()) return true;
      if (this.#host.now() > deadline) return false;
      await this.#host.sleep(POLL_MS);
    }
  }
}

function withWords(stderr: string): string {
  const line = stderr.trim().split('\n')[0] ?? '';
  return line === '' ? '' : `: ${line}`;
}
