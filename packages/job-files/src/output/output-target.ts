import type { Stats } from 'node:fs';
import { open, readlink, realpath, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EXIT, Failure } from '@macbatch/terminal';

export interface FileTarget {
  readonly kind: 'file';
  readonly path: string;
  /** The file until it is complete. */
  readonly draft: string;
  /** Says how much of the draft is valid. */
  readonly state: string;
}

/** Where outcomes are written. */
export type OutputTarget =
  /** A regular file, which appears whole or not at all: the draft is renamed at the end. */
  | FileTarget
  /** A pipe, a device or a descriptor. Outcomes are written to it directly, without a draft. */
  | { readonly kind: 'special'; readonly path: string };

/** Paths of descriptors that this process was given. Replacing them would write past the program that waits for them. */
const DESCRIPTOR = /^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/**
 * Checks a path for outcomes before a job runs, and follows symbolic links. Throws a `Failure` if it is a folder, is
 * the file `input` (also under another name), or cannot be created.
 */
export async function outputTarget(path: string, inputs: readonly string[]): Promise<OutputTarget> {
  if (DESCRIPTOR.test(path)) return { kind: 'special', path };
  const found = await statOf(path);
  if (found?.isDirectory()) throw refused(path, 'is a folder. Name a file in it.');
  const same = await Promise.all(
    inputs.map(async (input) => found !== null && isSame(found, await statOf(input))),
  );
  if (same.includes(true))
    throw refused(path, 'is the input file, which the outcomes would replace. Name another file.');
  if (found !== null && !found.isFile()) return { kind: 'special', path };
  const target = found === null ? await linkTarget(path) : await realpath(path);
  const draft = `${target}.part`;
  const state = `${draft}.json`;
  const isInput = await Promise.all(
    inputs.map(async (input) => [target, draft, state].includes(await realpath(input).catch(() => input))),
  );
  if (isInput.includes(true))
    throw refused(path, `would be written by way of ${draft}, which is the input file.`);
  if ((await statOf(draft)) !== null && (await statOf(state)) === null)
    throw refused(path, `would be written by way of ${draft}, a file that is not from macbatch. Rename it.`);
  await mustBeCreatable(state, path);
  return { kind: 'file', path: target, draft, state };
}

/** Follows symbolic links to a file that does not exist yet. */
async function linkTarget(path: string): Promise<string> {
  const next = await readlink(path).catch(() => null);
  return next === null ? path : await linkTarget(resolve(dirname(path), next));
}

async function mustBeCreatable(state: string, path: string): Promise<void> {
  try {
    const existed = (await statOf(state)) !== null;
    await (await open(state, 'a')).close();
    if (!existed) await rm(state);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refused(
      path,
      code === 'ENOENT'
        ? `cannot be created: there is no folder ${dirname(state)}.`
        : `cannot be created (${code ?? message}).`,
    );
  }
}

async function statOf(path: string): Promise<Stats | null> {
  return await stat(path).catch(() => null);
}

function isSame(one: Stats, other: Stats | null): boolean {
  return other !== null && one.dev === other.dev && one.ino === other.ino;
}

function refused(path: string, why: string): Failure {
  return new Failure(EXIT.usage, `--output: ${path} ${why}`);
}
