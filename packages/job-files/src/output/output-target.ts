import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, readlink, realpath, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EXIT, Failure } from '@macbatch/terminal';

/** Where outcomes are written. */
export type OutputTarget =
  /** A regular file, which appears whole or not at all: the draft is renamed at the end. */
  | { readonly kind: 'file'; readonly path: string; readonly draft: string }
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
  // Another name for each run, so that no existing file is in the way.
  const draft = `${target}.${randomUUID().slice(0, 8)}.part`;
  await mustBeCreatable(draft, path);
  return { kind: 'file', path: target, draft };
}

/** Follows symbolic links to a file that does not exist yet. */
async function linkTarget(path: string): Promise<string> {
  const next = await readlink(path).catch(() => null);
  return next === null ? path : await linkTarget(resolve(dirname(path), next));
}

async function mustBeCreatable(draft: string, path: string): Promise<void> {
  try {
    await (await open(draft, 'wx')).close();
    await rm(draft);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refused(
      path,
      code === 'ENOENT'
        ? `cannot be created: there is no folder ${dirname(draft)}.`
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
