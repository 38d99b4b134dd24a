import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobType } from '@macbatch/core';
import type { Terminal } from '@macbatch/terminal';
import { testFolder } from '@macbatch/testing';
import { type InputOptions, type JobInput, openJobInput } from '../input/job-input.ts';
import { defaultForm } from '../items/item-form.ts';

const ITEM_DEFAULTS: InputOptions = { format: null, form: defaultForm('noop'), choice: { kind: 'all' } };

/** A terminal without a person, in this folder. */
export function terminalIn(cwd: string): Terminal {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: {},
    cwd,
    interrupted: new AbortController().signal,
    forceQuit: new AbortController().signal,
    now: () => 0,
  };
}

/** Writes files and opens them as the input of a job. */
export async function inputOf(
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<InputOptions> & { readonly jobType?: JobType } = {},
): Promise<JobInput> {
  const folder = testFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const form = options.jobType === undefined ? ITEM_DEFAULTS.form : defaultForm(options.jobType);
  return openJobInput(Object.keys(files), { ...ITEM_DEFAULTS, form, ...options }, terminalIn(folder));
}

/** Reads the lines of a submission. */
export async function textsOf(input: JobInput): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of input.items()) texts.push(text);
  return texts;
}

/** Reads the items of files, parsed. */
export async function itemsOf(...args: Parameters<typeof inputOf>): Promise<unknown[]> {
  return (await textsOf(await inputOf(...args))).map((text) => JSON.parse(text));
}
