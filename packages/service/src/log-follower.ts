import { type FileHandle, open, stat } from 'node:fs/promises';

/** Reads the lines that are appended to a rolling file. */
export class LogFollower {
  readonly #path: string;
  #file: FileHandle | null;
  #offset: number;
  #partial = '';

  private constructor(path: string, file: FileHandle | null, offset: number) {
    this.#path = path;
    this.#file = file;
    this.#offset = offset;
  }

  /** Begins at the end of the file, or at the beginning of a file that does not exist yet. */
  static async atEnd(path: string): Promise<LogFollower> {
    const file = await openIfThere(path);
    return new LogFollower(path, file, file === null ? 0 : (await file.stat()).size);
  }

  /** Returns the complete lines since the last call. */
  async read(): Promise<readonly string[]> {
    this.#file ??= await openIfThere(this.#path);
    if (this.#file === null) return [];
    let text = await this.#rest(this.#file);
    const [own, current] = await Promise.all([this.#file.stat(), stat(this.#path).catch(() => null)]);
    if (current !== null && current.ino !== own.ino) {
      // The writer renamed the file before it opened a new one, so the old one is complete.
      text += await this.#rest(this.#file);
      await this.#file.close();
      this.#file = await openIfThere(this.#path);
      this.#offset = 0;
      if (this.#file !== null) text += await this.#rest(this.#file);
    }
    const lines = `${this.#partial}${text}`.split('\n');
    this.#partial = lines.pop() ?? '';
    return lines;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #rest(file: FileHandle): Promise<string> {
    const { size } = await file.stat();
    // A file that was truncated begins again.
    if (size < this.#offset) this.#offset = 0;
    const buffer = Buffer.alloc(size - this.#offset);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#offset);
    this.#offset += bytesRead;
    return buffer.subarray(0, bytesRead).toString('utf8');
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return null;
    throw error;
  }
}
