#!/usr/bin/env node
import { shutdownSignals } from '@macbatch/process';
import { runProgram } from './program.ts';

const { asked, insisted } = shutdownSignals(process);
process.exitCode = await runProgram(process.argv, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  interrupted: asked,
  insisted,
  now: () => performance.now(),
});
// Signal handlers would keep nothing alive, but a connection that is being kept open may.
process.exit();
