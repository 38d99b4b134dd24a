import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from './testing/run-in-process.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'macbatch-cli-'));
  writeFileSync(join(folder, 'items.jsonl'), '"text"\n');
  writeFileSync(join(folder, 'reviews.csv'), 'id,review\n1,good\n');
  writeFileSync(join(folder, 'empty.txt'), '\n');
  writeFileSync(join(folder, 'latin1.jsonl'), Buffer.from([0x22, 0xe9, 0x22, 0x0a]));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command line in this process. */
const run = (...args: string[]) =>
  runInProcess(
    args.map((arg) => arg.replace('FOLDER', folder)),
    { cwd: folder },
  );

const FILE = 'FOLDER/items.jsonl';
const EMBED = ['run', FILE, '--type', 'embed'];
const CSV = ['run', 'FOLDER/reviews.csv', '--type', 'chat', '--model', 'm'];

it('prints help for every command and exits with 0', async () => {
  const main = await run('--help');
  expect(main).toMatchObject({ code: 0, stderr: '' });
  const commands = [...main.stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '');
  for (const name of [
    'run',
    'up',
    'worker',
    'submit',
    'jobs',
    'job',
    'watch',
    'results',
    'workers',
    'doctor',
    'prune',
  ])
    expect(commands).toContain(name);
  for (const name of commands.filter((each) => each !== 'help')) {
    const help = await run(name, '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(new RegExp(`^Usage: macbatch ${name}\\b`));
    const [, below = ''] = help.stdout.split('\nCommands:\n');
    const actions = Array.from(below.matchAll(/^ {2}([a-z]+) /gm), ([, action = '']) => action);
    for (const action of actions.filter((each) => each !== 'help'))
      expect((await run(name, action, '--help')).stdout).toContain('--json');
    // A shell reads the output of `completion`.
    if (actions.length === 0 && name !== 'completion') expect(help.stdout).toContain('--json');
  }
});

describe('refuses a wrong command line with exit code 2 before it starts anything', () => {
  it.each([
    [['frobnicate'], /unknown command/],
    [['run', '--frobnicate'], /unknown option '--frobnicate'/],
    [['run', FILE], /--type is missing/],
    [['run', FILE, '--type', 'chat'], /--model is missing/],
    [['run', FILE, '--type', 'fly'], /'fly' is invalid. Allowed choices/],
    [['run', '--type', 'embed'], /Name a file/],
    [['run', '--shard-size', 'ten'], /--shard-size/],
    [[...EMBED, '--workers', '0'], /--workers must be a number from 1 to 64/],
    [[...EMBED, '--shard-size', 'ten'], /--shard-size must be a whole number from 1 to 10000/],
    [[...EMBED, '--priority', '1000'], /--priority must be a whole number from -100 to 100/],
    [[...EMBED, '--model', ''], /--model must be a name of 1 to 200 characters/],
    [[...EMBED, '--params', '{'], /--params is not JSON/],
    [[...EMBED, '--params', '[]'], /--params/],
    [[...EMBED, '--retry-on', 'luck'], /Allowed choices/],
    [[...EMBED, '-o', 'nowhere/out.jsonl'], /no folder .*nowhere/],
    [['run', 'missing.jsonl', '--type', 'embed'], /missing\.jsonl/],
    [['run', 'FOLDER/latin1.jsonl', '--type', 'embed'], /line 1 is not UTF-8/],
    [CSV, /no column prompt or text\. Add --text COLUMN.*The columns are id, review\./],
    [[...CSV, '--prompt', '{{stars}}'], /no column "stars" for \{\{stars\}\}\. The columns are id, review\./],
    [[...CSV, '--prompt', 'x'], /--prompt names no column/],
    [[...CSV, '--prompt', '{{a}}', '--text', 'a'], /cannot be used with option '--text/],
    [[...CSV, '--prompt-file', 'FOLDER/none.txt'], /--prompt-file: ENOENT/],
    [[...CSV, '--prompt-file', 'FOLDER/latin1.jsonl'], /--prompt-file: .*is not UTF-8/],
    [[...CSV, '--id', 'n', '--text', 'review'], /no column "n" for --id/],
    [[...CSV, '--limit', '1', '--sample', '1'], /cannot be used with option '--sample/],
    [[...CSV, '--limit', '0'], /--limit must be a whole number of at least 1, not "0"/],
    [[...CSV, '--seed', '2'], /--seed needs --sample/],
    [[...CSV, '--system', 'a', '--params', '{"system":"b"}'], /system message is given twice/],
    [[...CSV, '--format', 'xml'], /Allowed choices are jsonl, json, csv, tsv, lines/],
    [['run', '--prompt', '{{a}}'], /Name a file/],
    [['run', '--join'], /--join needs a file/],
    [['run', '--try'], /--try needs a file/],
    [['run', '--dry-run'], /--dry-run needs a file/],
    [[...EMBED, '--try', '0'], /--try must be a number from 1 to 1000, not "0"/],
    [[...EMBED, '--yes'], /--yes needs --try/],
    [[...EMBED, '--dry-run', '--try'], /cannot be used with option '--try/],
    [[...EMBED, '-o', 'x.csv.gz'], /would be neither compressed nor a workbook/],
    [[...EMBED, '-o', 'x.jsonl', '--excel'], /--excel is for CSV/],
    [[...EMBED, '-o', 'x.csv', '--join', '--order', 'completion'], /--join needs the order of the input/],
    [[...EMBED, '--output-format', 'xml'], /Allowed choices are jsonl, csv, tsv/],
    [['results', 'id', '--id', 'a'], /--id needs --join/],
    [['results', 'id', '--only', 'ok', '--status', 'ok'], /cannot be used with/],
    [[...EMBED, '--map', 'a=b'], /--map needs --endpoint/],
    [
      ['run', FILE, '--type', 'chat', '--model', 'm'],
      /--endpoint is missing: chat with the model m needs a model server/,
    ],
    [
      ['run', FILE, '--type', 'chat', '--model', 'm', '--endpoint', '127.0.0.1:1'],
      /--endpoint must begin with http/,
    ],
    [['worker', 'frobnicate'], /worker has no action "frobnicate"; there are .*join/],
    [['worker', '--until', '18:00'], /unknown option '--until'/],
    [['worker', 'resume', 'ann', '--drain'], /unknown option '--drain'/],
    [['worker', 'join'], /missing required argument 'url'/],
    [['worker', 'pause', 'ann', '--until', 'soon'], /--until must be a time such as 18:00/],
    [['worker', '--endpoint', 'http://h/v1'], /--endpoint needs --map/],
    [['worker', '--endpoint', 'http://h/v1', '--map', 'ab'], /--map takes alias=model, not "ab"/],
    [
      ['worker', '--endpoint', 'http://h/v1', '--map', 'a=b', '--endpoint-key-env', 'NO_KEY'],
      /NO_KEY is not set/,
    ],
    [['submit', FILE, '--model', 'm'], /--type is missing/],
    [['submit', FILE, '--type', 'chat'], /--model is missing/],
    [['submit'], /missing required argument/],
    [['up', '--port', 'http'], /--port/],
    [['bench', '--tasks', '0'], /--tasks/],
    [['bench', '--shard-size', 'x'], /--shard-size/],
    [['bench', '--lease-limit', '1001'], /--lease-limit/],
    [['prune'], /--older-than/],
    [
      ['prune', '--older-than', '30'],
      /--older-than must be a number above 0 with m, h, d or w, such as 30d, not "30"/,
    ],
    [['prune', '--older-than', '0d'], /--older-than/],
    [['doctor', '--frobnicate'], /unknown option/],
    [['results', 'id', '--status', 'fine'], /Allowed choices/],
    [['items', 'id', '--state', 'lost'], /Allowed choices/],
    [['item', 'id'], /Give either the id of the item or --seq/],
    [['jobs', '--sort', 'size'], /Allowed choices/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(join(folder, '.macbatch'))).toBe(false);
  });
});

it('shows with --dry-run what a job would hold, and starts nothing', async () => {
  const { code, stdout, stderr } = await run(...CSV, '--prompt', 'Sort: {{review}}', '--dry-run');
  expect({ code, stderr }).toEqual({ code: 0, stderr: `${join(folder, 'reviews.csv')}: CSV\n` });
  expect(stdout).toBe(`chat with m
1 item, 12 bytes of payloads, columns: id, review
no id is used twice
the ledger was not asked: there is no database yet

item 1
  Sort: good

dry run: nothing was sent
`);
  expect(existsSync(join(folder, '.macbatch'))).toBe(false);
  const json = await run(...CSV, '--text', 'review', '--dry-run', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ items: 1, examples: [{ id: '1', payload: '"good"' }] });
});

it('prints help for `run --help` and exits with 0', async () => {
  const { code, stdout, stderr } = await run('run', '--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: macbatch run/);
});
