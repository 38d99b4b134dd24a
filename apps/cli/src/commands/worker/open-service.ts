import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { OLDEST_NODE } from '@macbatch/doctor';
import { programPath } from '@macbatch/local-pool';
import { findManagerKind, type ServiceContext, thisHost, WorkerDescription } from '@macbatch/service';
import { pickVariables, RulesConfig, WorkerConfig } from '@macbatch/settings';
import { EXIT, Failure, printLine, type Terminal } from '@macbatch/terminal';
import { askPerson } from '../../options/ask-person.ts';

/** Variables that a service must not keep: secrets, and what a join has stored. */
const NOT_KEPT = ['MACBATCH_KEY', 'MACBATCH_JOIN_TOKEN'];

/** Variables with a path that may be relative to the current folder. */
const PATHS = [
  'MACBATCH_CONFIG',
  'MACBATCH_KEY_FILE',
  'MACBATCH_CA_FILE',
  'MACBATCH_STATE_DIR',
  'PROBE_STATE',
];

/** Collects what the actions of the service need. `id`: the name of the worker, if the user gave one. */
export async function openService(terminal: Terminal, id: string | undefined): Promise<ServiceContext> {
  const home = terminal.env['HOME'] ?? homedir();
  const env = { ...terminal.env, HOME: home, ...(id === undefined ? {} : { MACBATCH_WORKER_ID: id }) };
  const userId = process.getuid?.() ?? 0;
  const host = thisHost({ XDG_RUNTIME_DIR: `/run/user/${userId}`, ...env }, userId);
  const program = programPath('@macbatch/worker');
  const runProgram = (...args: readonly string[]) => runWorker(program, args, env);
  return {
    host,
    kind: await findManagerKind(host),
    env,
    home,
    execPath: process.execPath,
    oldestNode: OLDEST_NODE,
    program,
    variables: keptVariables(env, terminal.cwd),
    describe: async (ask) =>
      WorkerDescription.parse(JSON.parse(await runProgram('describe', ...(ask ? ['--ask'] : [])))),
    forget: async () => void (await runProgram('forget')),
    confirm: async (question) => (await askPerson(question, terminal, terminal.interrupted)) === true,
    say: (line) => printLine(terminal.stderr, line),
  };
}

/** Picks the variables that the worker has here, so that the service works as the worker does in this shell. */
function keptVariables(env: Terminal['env'], cwd: string): Readonly<Record<string, string>> {
  const picked = { ...pickVariables(WorkerConfig, env), ...pickVariables(RulesConfig, env) };
  const set = Object.entries(picked).filter(([name, value]) => value !== '' && !NOT_KEPT.includes(name));
  return Object.fromEntries(
    set.map(([name, value]) => [name, PATHS.includes(name) ? resolve(cwd, value) : value]),
  );
}

/** Runs the worker's program, which prints one line and ends. Throws a `Failure` with its own words. */
async function runWorker(program: string, args: readonly string[], env: Terminal['env']): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env: { ...env } });
    return stdout;
  } catch (error) {
    const lines = String(Reflect.get(Object(error), 'stdout') ?? '')
      .trim()
      .split('\n');
    throw new Failure(EXIT.usage, errorOf(lines.at(-1) ?? '') ?? String(error));
  }
}

function errorOf(line: string): string | null {
  try {
    const error: unknown = Reflect.get(Object(JSON.parse(line)), 'error');
    return typeof error === 'string' ? error : null;
  } catch {
    return null;
  }
}
