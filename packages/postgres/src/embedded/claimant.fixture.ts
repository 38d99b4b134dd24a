/** A test program: claims the folder in its argument, prints `held` or `refused`, and ends when its input ends. */
import { claimFolder } from './folder-claim.ts';

const outcome = await claimFolder(process.argv[2] ?? '.').then(
  () => 'held',
  () => 'refused',
);
process.stdout.write(`${outcome}\n`);
process.stdin.resume();
