import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { EXIT, Failure, type Terminal } from '@macbatch/terminal';

/** An input that can be read more than once. */
export interface InputFile extends AsyncDisposable {
  readonly path: string;
  /** The input was a pipe or a device, and `path` is a temporary copy. */
  readonly copied: boolean;
}

/** Paths of descriptors that this process was given. On macOS, opening one again continues where the last reader stopped. */
const DESCRIPTOR = /^\/(dev\/(stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/**
 * Opens an input file. Submitting reads the input twice: once to derive the key that makes a repeated submission find
 * its job, and once to send it. So copies what can be read only once (a pipe, a device, standard input as `-`) to a
 * temporary file, which is deleted when disposed. Throws a `Failure` when there is no such file.
 */
export async function openInput(file: string, terminal: Terminal): Promise<InputFile> {
  if (file === '-') return await copyOf(terminal.stdin, terminal.interrupted);
  const path = resolve(terminal.cwd, file);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      EXIT.usage,
      error.code === 'ENOENT'
        ? `There is no file ${file}.`
        : `The file ${file} cannot be read (${error.code ?? error.message}).`,
    );
  });
  if (found.isDirectory()) throw new Failure(EXIT.usage, `${file} is a folder. Name a file in it.`);
  if (found.isFile() && !DESCRIPTOR.test(path))
    return { path, copied: false, async [Symbol.asyncDispose]() {} };
  return await copyOf(createReadStream(path), terminal.interrupted);
}

async function copyOf(stream: NodeJS.ReadableStream, signal: AbortSignal): Promise<InputFile> {
  // The folder is readable for this user only.
  const folder = await mkdtemp(join(tmpdir(), 'macbatch-input-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'items.jsonl');
  try {
    await pipeline(stream, createWriteStream(path), { signal });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, copied: true, [Symbol.asyncDispose]: remove };
}
