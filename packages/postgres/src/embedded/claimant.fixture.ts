/** A program for tests: claims the folder given as argument, prints `held` or `refused`, and lives until stdin ends. */
import { claimFolder } from './folder-claim.ts';

const outcome = await claimFolder(process.argv[2] ?? '.').then(
  () => 'held',
  () => 'refused',
);
process.stdout.write(`${outcome}\n`);
process.stdin.resume();
