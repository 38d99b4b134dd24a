import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { isLocalNetworkHost } from '@macbatch/core';
import type { Finding } from '../finding.ts';
import { judgeInstalls } from './judge-installs.ts';
import { judgeLid } from './judge-lid.ts';
import { judgeListeners } from './judge-listeners.ts';
import { judgeLocalNetwork, type Reach } from './judge-local-network.ts';
import { judgeNodePath } from './judge-node-path.ts';

/** The service of the worker on this machine. */
export interface ExaminedService {
  /** The main file that it runs. */
  readonly program: string;
  /** The Node that its installation found. */
  readonly node: string;
  /** The last problem in its log; null if it has none. */
  readonly problem: string | null;
}

const TIMEOUT_MS = 3000;

/** Checks the copies of macbatch and of Node on this machine. `ownProgram` is the command that runs now. */
export function examineInstallation(
  path: string | undefined,
  ownProgram: string,
  service: ExaminedService | null,
): Finding[] {
  const found = (path ?? '').split(':').flatMap((folder) => {
    // npm puts the programs of a clone on the PATH of its scripts.
    if (!folder.startsWith('/') || folder.includes('/node_modules/.bin')) return [];
    return realPath(join(folder, 'macbatch'));
  });
  return [
    judgeNodePath(service?.node ?? process.execPath, service !== null),
    judgeInstalls([...realPath(ownProgram), ...found], service?.program ?? null),
  ];
}

/** Checks what only macOS has: lids, and who may use the local network. `ports` are those of model servers. */
export async function examineMac(
  urls: readonly string[],
  ports: readonly number[],
  service: ExaminedService | null,
): Promise<Finding[]> {
  const [settings, battery, lsof, reached] = await Promise.all([
    outputOf('/usr/bin/pmset', ['-g']),
    outputOf('/usr/bin/pmset', ['-g', 'batt']),
    outputOf('/usr/sbin/lsof', ['-nP', '-iTCP', '-sTCP:LISTEN']),
    Promise.all(urls.map((url) => examineReach(url, service))),
  ]);
  const lid = judgeLid(settings, battery);
  return [...(lid === null ? [] : [lid]), ...judgeListeners(lsof, ports), ...reached.flat()];
}

async function examineReach(url: string, service: ExaminedService | null): Promise<Finding[]> {
  const { protocol, hostname, port } = URL.parse(url) ?? { protocol: '', hostname: '', port: '' };
  if (!isLocalNetworkHost(hostname)) return [];
  const host = hostname.replace(/^\[|\]$/g, '');
  const reach: Omit<Reach, 'nodeError' | 'reachedByApple'> = {
    host,
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    serviceProblem: service?.problem ?? null,
  };
  const nodeError = await connectionError(host, reach.port);
  const reachedByApple =
    nodeError === 'EHOSTUNREACH' ? await canConnectWith('/usr/bin/nc', host, reach.port) : null;
  const found = judgeLocalNetwork({ ...reach, nodeError, reachedByApple });
  return found === null ? [] : [found];
}

/** Connects with Node. Returns the code of the error; null if there was none. */
function connectionError(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (code: string | null) => {
      socket.destroy();
      resolve(code);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end('ETIMEDOUT'));
    socket.once('error', (error) => end(String(Reflect.get(error, 'code') ?? error.message)));
  });
}

/** Connects with a program of Apple, which macOS lets into the local network. */
function canConnectWith(program: string, host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, ['-z', '-G', '3', host, String(port)], { timeout: 2 * TIMEOUT_MS }, (error) =>
      resolve(error === null),
    );
  });
}

/** Runs a program of the system. Returns its output, which is empty when it cannot be run. */
function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: TIMEOUT_MS, env: { LC_ALL: 'C' } }, (_, stdout) => resolve(stdout));
  });
}

function realPath(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
