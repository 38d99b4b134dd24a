import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { describe, expect, it } from 'vitest';
import type { Ran, ServiceHost } from '../service-host.ts';
import { LaunchdManager } from './launchd-manager.ts';

const OK: Ran = { code: 0, stdout: '', stderr: '' };
const MISSING: Ran = {
  code: 113,
  stdout: '',
  stderr: 'Could not find service "dev.macbatch.worker" in domain for user gui: 501\n',
};
const IO_ERROR: Ran = { code: 5, stdout: '', stderr: 'Bootstrap failed: 5: Input/output error\n' };
const NO_DOMAIN = (code: number): Ran => ({
  code,
  stdout: '',
  stderr: 'Domain does not support specified action\n',
});

/** What a played launchd does that the real one does not do at once, or at all. */
interface Quirks {
  /** Domains that exist. */
  readonly domains?: readonly string[];
  readonly noDomain?: Ran;
  readonly loaded?: string;
  /** How long a service is still there after `bootout`. */
  readonly goneAfterMs?: number;
  /** Answers of `bootstrap`, in order. The last one repeats. */
  readonly bootstraps?: readonly Ran[];
  /** Domains in which `bootstrap` says 0 and does nothing. */
  readonly deaf?: readonly string[];
  readonly disabled?: boolean;
}

/** Plays launchctl on a clock of its own. */
function play(quirks: Quirks) {
  const {
    domains = ['gui/501', 'user/501'],
    noDomain = NO_DOMAIN(125),
    bootstraps = [OK],
    deaf = [],
  } = quirks;
  let now = 0;
  let loaded = quirks.loaded ?? null;
  let goneAt: number | null = null;
  const calls: string[] = [];
  let answered = 0;
  const answer = ([verb = '', first = '', second = '']: readonly string[]): Ran => {
    if (goneAt !== null && now >= goneAt) {
      loaded = null;
      goneAt = null;
    }
    switch (verb) {
      case 'print':
        if (!first.endsWith('dev.macbatch.worker')) return domains.includes(first) ? OK : noDomain;
        return loaded === first ? { ...OK, stdout: '\tstate = running\n\tpid = 42\n' } : MISSING;
      case 'print-disabled':
        return { ...OK, stdout: quirks.disabled === true ? '\t"dev.macbatch.worker" => disabled\n' : '' };
      case 'bootout':
        goneAt = now + (quirks.goneAfterMs ?? 0);
        return OK;
      case 'bootstrap': {
        if (loaded !== null) return IO_ERROR;
        const reply = bootstraps[Math.min(answered, bootstraps.length - 1)] ?? OK;
        answered += 1;
        if (reply.code === 0 && !deaf.includes(first)) loaded = `${first}/dev.macbatch.worker`;
        expect(second).toMatch(/\.plist$/);
        return reply;
      }
      default:
        return OK;
    }
  };
  const host: ServiceHost = {
    userId: 501,
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    show: async () => 0,
    run: async (file, args) => {
      if (!args.includes('print') && !args.includes('print-disabled')) calls.push([file, ...args].join(' '));
      return file === 'sudo' && args[0] !== 'launchctl' ? OK : answer(file === 'sudo' ? args.slice(1) : args);
    },
  };
  return { host, calls, loaded: () => loaded, now: () => now };
}

/** Installs an agent. Returns the played launchd, and the message of the failure. */
async function install(quirks: Quirks, boot = false) {
  const played = play(quirks);
  const plist = join(testFolder(), 'dev.macbatch.worker.plist');
  const failure = await new LaunchdManager(played.host, boot).install(plist, '<plist/>').then(
    () => null,
    (error: unknown) => String(error),
  );
  return { ...played, plist, failure };
}

describe('install', () => {
  it('writes the property list, enables the service and loads it', async () => {
    const { calls, loaded, plist, failure } = await install({});
    expect({ failure, loaded: loaded() }).toEqual({ failure: null, loaded: 'gui/501/dev.macbatch.worker' });
    expect(existsSync(plist)).toBe(true);
    expect(calls).toEqual([
      'launchctl enable gui/501/dev.macbatch.worker',
      `launchctl bootstrap gui/501 ${plist}`,
    ]);
  });

  it('waits until an earlier service is gone, because launchd answers before', async () => {
    const { failure, now, loaded } = await install({
      loaded: 'gui/501/dev.macbatch.worker',
      goneAfterMs: 8000,
    });
    expect({ failure, loaded: loaded() }).toEqual({ failure: null, loaded: 'gui/501/dev.macbatch.worker' });
    expect(now()).toBeGreaterThanOrEqual(8000);
  });

  it('gives up on an earlier service that stays', async () => {
    const { failure, calls } = await install({ loaded: 'gui/501/dev.macbatch.worker', goneAfterMs: 9e9 });
    expect(failure).toContain('launchd does not unload the worker');
    expect(calls.filter((call) => call.includes('bootstrap'))).toEqual([]);
  });

  it('unloads an earlier service of the other session', async () => {
    const { calls, loaded } = await install({ loaded: 'user/501/dev.macbatch.worker' });
    expect(calls[0]).toBe('launchctl bootout user/501/dev.macbatch.worker');
    expect(loaded()).toBe('gui/501/dev.macbatch.worker');
  });

  it('tries again after error 5', async () => {
    const { failure, loaded } = await install({ bootstraps: [IO_ERROR, OK] });
    expect({ failure, loaded: loaded() }).toEqual({ failure: null, loaded: 'gui/501/dev.macbatch.worker' });
  });

  it('reports an error 5 that repeats, with the place of the switch', async () => {
    expect((await install({ bootstraps: [IO_ERROR] })).failure).toMatch(/exit code 5.*Login Items/);
    const { failure } = await install({ bootstraps: [IO_ERROR], disabled: true });
    expect(failure).toContain('It is switched off: allow macbatch-worker');
  });

  it.each([112, 125])('uses the user domain when the gui domain answers %d', async (code) => {
    const { failure, loaded } = await install({ domains: ['user/501'], noDomain: NO_DOMAIN(code) });
    expect({ failure, loaded: loaded() }).toEqual({ failure: null, loaded: 'user/501/dev.macbatch.worker' });
  });

  it('names the ways out when there is no session at all', async () => {
    expect((await install({ domains: [] })).failure).toMatch(/log in once.*--boot/);
  });

  it('uses the user domain when launchd says 0 and does nothing in the other one', async () => {
    const { failure, loaded } = await install({ deaf: ['gui/501'] });
    expect({ failure, loaded: loaded() }).toEqual({ failure: null, loaded: 'user/501/dev.macbatch.worker' });
  });

  it('does not believe a 0 without effect', async () => {
    const { failure } = await install({ deaf: ['gui/501', 'user/501'] });
    expect(failure).toContain('reported success, but launchd has not loaded the worker');
  });

  it('accepts an error of a service that is there nevertheless', async () => {
    const played = play({ bootstraps: [OK] });
    const run = played.host.run;
    const host = {
      ...played.host,
      run: async (file: string, args: readonly string[]) => {
        const ran = await run(file, args);
        return args[0] === 'bootstrap' ? IO_ERROR : ran;
      },
    };
    await new LaunchdManager(host, false).install(join(testFolder(), 'x.plist'), '<plist/>');
    expect(played.loaded()).toBe('gui/501/dev.macbatch.worker');
  });

  it('needs root for exactly two operations of a daemon', async () => {
    const { calls, failure } = await install({ domains: ['system'] }, true);
    expect(failure).toBe(null);
    expect(calls).toEqual([
      expect.stringMatching(/^sudo install -o root -g wheel -m 644 .*\.plist .*\.plist$/),
      expect.stringMatching(/^sudo launchctl bootstrap system .*\.plist$/),
    ]);
  });
});

it('restart: asks the worker to drain before it is started again', async () => {
  const { host, calls } = play({ loaded: 'gui/501/dev.macbatch.worker' });
  await new LaunchdManager(host, false).restart('x.plist');
  expect(calls).toEqual([
    'launchctl kill SIGTERM gui/501/dev.macbatch.worker',
    'launchctl kickstart -k gui/501/dev.macbatch.worker',
  ]);
});

it('start, restart: load a service that is not loaded', async () => {
  for (const verb of ['start', 'restart'] as const) {
    const { host, loaded } = play({});
    await new LaunchdManager(host, false)[verb]('x.plist');
    expect(loaded()).toBe('gui/501/dev.macbatch.worker');
  }
});

it('uninstall: does nothing where nothing is, and unloads what is there', async () => {
  const empty = play({});
  await new LaunchdManager(empty.host, false).uninstall(join(testFolder(), 'x.plist'));
  expect(empty.calls).toEqual([]);
  const full = play({ loaded: 'user/501/dev.macbatch.worker', goneAfterMs: 500 });
  await new LaunchdManager(full.host, false).uninstall(join(testFolder(), 'x.plist'));
  expect(full.loaded()).toBe(null);
});

it('state: tells a service that is not loaded from one that a person switched off', async () => {
  const state = (quirks: Quirks) => new LaunchdManager(play(quirks).host, false).state();
  expect(await state({})).toMatchObject({ loaded: false, switchedOff: false });
  expect(await state({ disabled: true })).toMatchObject({ loaded: false, switchedOff: true });
  expect(await state({ loaded: 'user/501/dev.macbatch.worker' })).toMatchObject({ running: true, pid: 42 });
});
