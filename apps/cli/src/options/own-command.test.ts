import { expect, it } from 'vitest';
import { ownCommand } from './own-command.ts';

it.each([
  ['installed', undefined, ['retry', 'id', '--items'], 'macbatch retry id --items'],
  ['npm start', 'start', ['run', 'a.jsonl', '--retry'], 'npm start -- a.jsonl --retry'],
  ['npm run macbatch', 'macbatch', ['run', 'a.jsonl'], 'npm run macbatch -- run a.jsonl'],
  ['any other script', 'deploy', ['run', 'a.jsonl'], 'macbatch run a.jsonl'],
  [
    'a shell that needs quotes',
    undefined,
    ['run', "Ann's file.csv", ''],
    "macbatch run 'Ann'\\''s file.csv' ''",
  ],
])('ownCommand: is what a user of %s would type', (_how, script, args, text) => {
  expect(ownCommand({ npm_lifecycle_event: script }, args)).toBe(text);
});
