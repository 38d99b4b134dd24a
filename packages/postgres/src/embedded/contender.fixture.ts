/** A test program: tries to own the folder in its argument, prints `owned` or `refused`, and ends when its input ends. */
import { takeOwnership } from './folder-ownership.ts';

const outcome = await takeOwnership(process.argv[2] ?? '.').then(
  () => 'owned',
  () => 'refused',
);
process.stdout.write(`${outcome}\n`);
process.stdin.resume();
