import { readdir } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { type PauseHere, removePause, writePause } from '@macbatch/machine';
import { readConfigFile } from '@macbatch/process';
import { nameOfHost, readConfig, WorkerConfig, withFileSettings } from '@macbatch/settings';
import { clockTime, EXIT, Failure, printJson, printLine, type Terminal } from '@macbatch/terminal';

interface HereOptions {
  readonly id?: string;
  readonly json?: boolean;
}

/** Pauses the worker of this machine, whether it runs or not. It notices within seconds. */
export async function pauseHere(pause: PauseHere, options: HereOptions, terminal: Terminal): Promise<void> {
  if (pause.until !== null && pause.until <= new Date()) throw new Failure(EXIT.usage, '--until has passed');
  const { id, folder } = await workerHere(options, terminal);
  await writePause(folder, pause);
  const { stdout } = terminal;
  if (options.json === true)
    printJson(stdout, { worker_id: id, paused: true, until: pause.until, reason: pause.reason });
  else
    printLine(
      stdout,
      `${id} is paused here${pause.until === null ? '' : ` until ${clockTime(pause.until, new Date())}`}; macbatch worker resume ends that`,
    );
}

/** Ends the pause of the worker of this machine. */
export async function resumeHere(options: HereOptions, terminal: Terminal): Promise<void> {
  const { id, folder } = await workerHere(options, terminal);
  const wasPaused = await removePause(folder);
  if (options.json === true) printJson(terminal.stdout, { worker_id: id, paused: false });
  else printLine(terminal.stdout, wasPaused ? `${id} goes on` : `${id} was not paused here`);
}

/** Finds the worker that has run or joined on this machine. Throws if it is not clear which. */
async function workerHere({ id }: HereOptions, { env }: Terminal) {
  const config = readConfig(WorkerConfig, withFileSettings(env, 'worker', readConfigFile(env)));
  const stateDir = config.MACBATCH_STATE_DIR ?? join(homedir(), '.macbatch', 'workers');
  const entries = await readdir(stateDir, { withFileTypes: true }).catch(() => []);
  const known = entries.filter((entry) => entry.isDirectory()).map(({ name }) => decodeURIComponent(name));
  const wanted = id ?? config.MACBATCH_WORKER_ID;
  const own = nameOfHost(hostname(), 'worker');
  const found =
    wanted ?? (known.includes(own) || known.length === 0 ? own : known.length === 1 ? known[0] : undefined);
  if (found === undefined)
    throw new Failure(
      EXIT.usage,
      `several workers have run here: ${known.toSorted().join(', ')}; choose one with --id`,
    );
  if (!known.includes(found))
    throw new Failure(
      EXIT.usage,
      `no worker ${found} has run here${known.length === 0 ? '' : `; there are ${known.toSorted().join(', ')}`}. macbatch worker pause NAME pauses one elsewhere`,
    );
  return { id: found, folder: join(stateDir, encodeURIComponent(found)) };
}
