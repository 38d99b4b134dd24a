import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'plist';

/** The part of a property list that this launchd obeys. */
interface Job {
  readonly Label: string;
  readonly ProgramArguments: readonly string[];
  readonly EnvironmentVariables: Readonly<Record<string, string>>;
  readonly WorkingDirectory: string;
  readonly StandardOutPath: string;
  readonly KeepAlive: { readonly SuccessfulExit: boolean };
  readonly ExitTimeOut: number;
}

/**
 * Runs one job as launchd does, until SIGTERM: starts it with its own environment, and starts it again after a failure.
 * SIGUSR1 starts it if it does not run. Writes what `launchctl print` says to a file.
 */
const [folder = '', target = '', path = ''] = process.argv.slice(2);
const parsed: unknown = parse(readFileSync(path, 'utf8'));
const job = parsed as Job;
const RESTART_MS = 100;

let child: ChildProcess | undefined;
let runs = 0;
let last = '\tlast exit code = (never exited)';
let unloading = false;

function write(): void {
  const running = child !== undefined;
  const text = [
    `${target} = {`,
    '\tactive count = 1',
    `\tpath = ${path}`,
    `\tstate = ${running ? 'running' : 'not running'}`,
    '',
    `\tprogram = ${job.ProgramArguments[0]}`,
    ...(running ? [`\tpid = ${child?.pid}`] : []),
    `\truns = ${runs}`,
    last,
    '\tspawn type = interactive (4)',
    '\tendpoints = {',
    '\t\tstate = 0',
    '\t}',
    '}',
    '',
  ].join('\n');
  const draft = join(folder, 'print.new');
  writeFileSync(draft, text);
  renameSync(draft, join(folder, 'print'));
}

function start(): void {
  if (child !== undefined || unloading) return;
  const [program = '', ...args] = job.ProgramArguments;
  const output = openSync(job.StandardOutPath, 'a');
  const started = spawn(program, args, {
    cwd: job.WorkingDirectory,
    env: { ...job.EnvironmentVariables, USER: 'ann' },
    stdio: ['ignore', output, output],
  });
  child = started;
  runs += 1;
  started.once('exit', (code, signal) => {
    child = undefined;
    last = signal === null ? `\tlast exit code = ${code}` : '\tlast terminating signal = Killed: 9';
    if (unloading) finish();
    write();
    if (code !== 0 || job.KeepAlive.SuccessfulExit) void setTimeout(RESTART_MS).then(start).then(write);
  });
}

function finish(): never {
  rmSync(join(folder, 'print'), { force: true });
  process.exit();
}

process.on('SIGTERM', () => {
  unloading = true;
  if (child === undefined) finish();
  child.kill('SIGTERM');
  void setTimeout(job.ExitTimeOut * 1000).then(() => child?.kill('SIGKILL'));
});
process.on('SIGUSR1', () => {
  start();
  write();
});
start();
write();
// Keeps the process alive between two runs.
setInterval(() => undefined, 60_000);
