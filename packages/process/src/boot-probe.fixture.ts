import { probeBoot } from './boot-probe.ts';

/** Boots the worker that the arguments name, and prints the probe. */
const [path = '', name = ''] = process.argv.slice(2);
const probe = probeBoot({ role: 'worker', name, path, startedAt: new Date().toISOString() });
process.stdout.write(JSON.stringify(probe));
