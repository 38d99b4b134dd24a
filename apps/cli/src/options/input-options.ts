import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type JobType, messageOf } from '@macbatch/core';
import {
  defaultForm,
  INPUT_FORMATS,
  type InputFormat,
  type InputOptions,
  type ItemForm,
  parsePrompt,
  type RecordChoice,
} from '@macbatch/job-files';
import { EXIT, Failure, type Terminal } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import type { JobOptions } from './job-options.ts';

/** The options that say how input files are read. */
export interface InputFlags {
  readonly format?: InputFormat;
  readonly id?: string;
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly system?: string;
  readonly systemFile?: string;
  readonly text?: string;
  readonly limit?: string;
  readonly sample?: string;
  readonly seed?: string;
}

/** The seed of a sample. Without a fixed one, the same command would choose other items and not continue its job. */
const DEFAULT_SEED = 1;

export const INPUT_HELP =
  '\nA record {"id": …, "payload": …} is an item as it is. Any other JSON value, line of text or row becomes the payload;\n' +
  'of a row, its column text (or prompt). --text and --prompt choose other columns. - is standard input: JSON lines, unless\n' +
  '--format says otherwise. Files that end with .gz are decompressed.';

/** Adds the options that say how input files are read. */
export function withInputOptions(command: Command): Command {
  return command
    .addOption(formatOption('format of the input (default: by file name, else by content)'))
    .option('--id <column>', 'column with the ids of the items (default: id, else the line number)')
    .addOption(
      new Option('--prompt <text>', "payload of each item, such as 'Sort this: {{review}}'").conflicts([
        'promptFile',
        'text',
      ]),
    )
    .addOption(new Option('--prompt-file <file>', 'file with such a prompt').conflicts('text'))
    .option('--text <column>', 'column with the payload of each item')
    .addOption(
      new Option('--system <text>', 'system message of every item, for chat').conflicts('systemFile'),
    )
    .option('--system-file <file>', 'file with the system message')
    .addOption(new Option('--limit <n>', 'only the first n items').conflicts('sample'))
    .option('--sample <n>', 'only n items, chosen at random')
    .option('--seed <number>', `another seed chooses other items for --sample (default: ${DEFAULT_SEED})`);
}

/** Makes the option for the format of input files. */
export function formatOption(description: string): Option {
  return new Option('--format <format>', description).choices(INPUT_FORMATS);
}

/** Says how the input files of a job are read. Throws a `Failure` that names a wrong option. */
export function inputOptions(
  flags: InputFlags & JobOptions,
  jobType: JobType | null,
  terminal: Terminal,
): InputOptions {
  return {
    batchLines: batchLines(flags, jobType),
    format: flags.format ?? null,
    form: itemForm(flags, jobType ?? 'request', terminal),
    choice: recordChoice(flags),
  };
}

/** Returns the system message of the options; undefined if there is none. */
export function systemMessage(flags: InputFlags, terminal: Terminal): string | undefined {
  return flags.systemFile === undefined
    ? flags.system
    : textOfFile(flags.systemFile, '--system-file', terminal);
}

/** What the options say about requests of OpenAI's Batch API; null if the options make something else of the lines. */
function batchLines(
  { id, text, prompt, promptFile, model, params }: InputFlags & JobOptions,
  jobType: JobType | null,
): NonNullable<InputOptions['batchLines']> | null {
  const choosesPayload = [id, text, prompt, promptFile].some((each) => each !== undefined);
  if (choosesPayload || (jobType !== null && jobType !== 'request')) return null;
  const endpoint = params === undefined ? undefined : endpointIn(params);
  return { ...(endpoint === undefined ? {} : { endpoint }), ...(model === undefined ? {} : { model: null }) };
}

/** The endpoint in params, if they have one. Wrong params are refused later. */
function endpointIn(params: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(params);
    const endpoint: unknown =
      typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'endpoint') : undefined;
    return typeof endpoint === 'string' ? endpoint : undefined;
  } catch {
    return undefined;
  }
}

function itemForm(flags: InputFlags, jobType: JobType, terminal: Terminal): ItemForm {
  const form = { ...defaultForm(jobType), idColumn: flags.id ?? null };
  if (flags.text !== undefined) return { ...form, payload: { kind: 'column', column: flags.text } };
  const option = flags.promptFile === undefined ? '--prompt' : '--prompt-file';
  const prompt =
    flags.promptFile === undefined ? flags.prompt : textOfFile(flags.promptFile, option, terminal);
  if (prompt === undefined) return form;
  return { ...form, payload: { kind: 'prompt', template: parsePrompt(prompt, option) } };
}

function recordChoice({ limit, sample, seed }: InputFlags): RecordChoice {
  if (sample === undefined && seed !== undefined) throw new Failure(EXIT.usage, '--seed needs --sample');
  if (limit !== undefined) return { kind: 'first', count: wholeNumber(limit, '--limit', 1) };
  if (sample === undefined) return { kind: 'all' };
  return {
    kind: 'sample',
    count: wholeNumber(sample, '--sample', 1),
    seed: seed === undefined ? DEFAULT_SEED : wholeNumber(seed, '--seed', 0),
  };
}

function wholeNumber(text: string, option: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > 2 ** 31 - 1)
    throw new Failure(EXIT.usage, `${option} must be a whole number of at least ${least}, not "${text}"`);
  return value;
}

/** Reads a text file, without the line end at its end. */
function textOfFile(file: string, option: string, { cwd }: Terminal): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(resolve(cwd, file));
  } catch (error) {
    throw new Failure(EXIT.usage, `${option}: ${messageOf(error)}`);
  }
  if (!isUtf8(bytes)) throw new Failure(EXIT.usage, `${option}: ${file} is not UTF-8`);
  return bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .replace(/\r?\n$/, '');
}
