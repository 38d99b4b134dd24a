#!/usr/bin/env node
import { shutdownSignals } from '@macbatch/process';
import { runProgram } from './program.ts';

/** The exit code that a shell gives to a program ended by SIGPIPE. */
const BROKEN_PIPE = 141;

const { shutdownRequested, forceQuit } = shutdownSignals(process);
// The reader of our output may stop early, as `head` does. Programs that we started then see our end, and stop.
process.stdout.on('error', (error) => {
  if (Reflect.get(error, 'code') === 'EPIPE') process.exit(BROKEN_PIPE);
  throw error;
});
process.exitCode = await runProgram(process.argv, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  interrupted: shutdownRequested,
  forceQuit,
  now: () => performance.now(),
});
// An idle HTTP connection would keep the process alive.
process.exit();
