#!/usr/bin/env node
import { shutdownSignals } from '@macbatch/process';
import { runProgram } from './program.ts';

/** As a shell counts who ends by SIGPIPE. */
const NOBODY_READS = 141;

const { asked, forceQuit } = shutdownSignals(process);
// Who reads our output may have enough of it, as `head` does. What was started sees us go, and stops.
process.stdout.on('error', (error) => {
  if (Reflect.get(error, 'code') === 'EPIPE') process.exit(NOBODY_READS);
  throw error;
});
process.exitCode = await runProgram(process.argv, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  interrupted: asked,
  forceQuit,
  now: () => performance.now(),
});
// Signal handlers would keep nothing alive, but a connection that is being kept open may.
process.exit();
