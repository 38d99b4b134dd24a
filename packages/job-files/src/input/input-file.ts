import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { EXIT, Failure, type Terminal } from '@macbatch/terminal';
import { detectFormat } from '../formats/detect-format.ts';
import type { FoundFormat, InputFormat } from '../formats/format.ts';
import { through } from '../formats/through.ts';

/** An input that can be read more than once. */
export interface InputFile extends AsyncDisposable {
  /** As the user wrote it. */
  readonly name: string;
  readonly path: string;
  /** The input was a pipe or a device, and `path` is a temporary copy. */
  readonly copied: boolean;
  readonly format: FoundFormat;
  /** The decompressed bytes. A file that grows is read up to the size that it had when it was opened. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** Bytes that are read to detect the format. */
const HEAD_BYTES = 64 * 1024;

/** Paths of descriptors that this process was given. On macOS, opening one again continues where the last reader stopped. */
const DESCRIPTOR = /^\/(dev\/(stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Names of standard input. Its format is not detected. */
const STANDARD_INPUT: readonly string[] = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/**
 * Opens an input file. Submitting reads the input twice: once to derive the key that makes a repeated submission find
 * its job, and once to send it. So copies what can be read only once (a pipe, a device, standard input as `-`) to a
 * temporary file, which is deleted when disposed. Throws a `Failure` when there is no such file, or when its format is
 * not clear. Standard input is JSON lines unless `format` says otherwise.
 */
export async function openInput(
  file: string,
  format: InputFormat | null,
  terminal: Terminal,
): Promise<InputFile> {
  const source = await openSource(file, terminal);
  try {
    const { size } = await stat(source.path);
    const isGzip = await startsLikeGzip(source.path);
    const bytes = () => bytesOf(file, source.path, size, isGzip);
    const given = format ?? (STANDARD_INPUT.includes(file) ? 'jsonl' : null);
    const found = detectFormat(file, await headOf(bytes()), given);
    return { ...source, name: file, format: found, bytes };
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}

type Source = Pick<InputFile, 'path' | 'copied'> & AsyncDisposable;

async function openSource(file: string, terminal: Terminal): Promise<Source> {
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

async function copyOf(stream: NodeJS.ReadableStream, signal: AbortSignal): Promise<Source> {
  // The folder is readable for this user only.
  const folder = await mkdtemp(join(tmpdir(), 'macbatch-input-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'items');
  try {
    await pipeline(stream, createWriteStream(path), { signal });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, copied: true, [Symbol.asyncDispose]: remove };
}

async function startsLikeGzip(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return buffer[0] === 0x1f && buffer[1] === 0x8b;
}

async function* bytesOf(
  name: string,
  path: string,
  size: number,
  isGzip: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (size === 0) return;
  const file = createReadStream(path, { end: size - 1 });
  try {
    yield* isGzip ? through(file, createGunzip()) : file;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR')
      throw new Failure(EXIT.usage, `${name} is cut off: its gzip data has no end.`);
    if (code.startsWith('Z_')) throw new Failure(EXIT.usage, `${name} is a damaged gzip file.`);
    throw error;
  } finally {
    file.destroy();
  }
}

async function headOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= HEAD_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, HEAD_BYTES);
}
