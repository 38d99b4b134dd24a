import { resolve } from 'node:path';
import { packAll } from './pack.ts';

const HELP = `npm run pack              packs the package macbatch and the libraries into ./tarballs
npm run pack -- FOLDER    packs them into another folder`;

const [target = 'tarballs', ...rest] = process.argv.slice(2);
if (target.startsWith('-') || rest.length > 0) {
  process.stderr.write(`${HELP}\n`);
  process.exitCode = 2;
} else {
  for (const path of await packAll(resolve(target))) process.stdout.write(`${path}\n`);
}
