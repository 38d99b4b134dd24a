import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { EXIT, Failure } from '@macbatch/terminal';
import type { Tokens } from './outcome.ts';
import type { FileTarget } from './output-target.ts';
import { type SeqRange, SeqRanges } from './seq-ranges.ts';

/** Which outcomes have been read from the control plane. */
export interface Progress {
  readonly read: SeqRanges;
  ok: number;
  error: number;
  tokens: Tokens;
}

interface SavedState {
  /** Job and options. A draft of others is not continued. */
  readonly form: string;
  readonly bytes: number;
  readonly ok: number;
  readonly error: number;
  readonly tokens: Tokens;
  readonly read: readonly SeqRange[];
}

const NO_SPACE: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** The start of a writing. */
export function noProgress(): Progress {
  return { read: new SeqRanges(), ok: 0, error: 0, tokens: { input: 0, output: 0 } };
}

/**
 * A file that is written in the course of a job. It has its final name only when it is complete. Beside it lies a file
 * that says how much of it is valid, so that a second writing continues it.
 */
export class DraftFile {
  readonly #target: FileTarget;
  readonly #form: string;
  readonly #file: FileHandle;
  #bytes: number;
  #savedBytes: number;

  private constructor(target: FileTarget, form: string, file: FileHandle, bytes: number) {
    this.#target = target;
    this.#form = form;
    this.#file = file;
    this.#bytes = bytes;
    this.#savedBytes = bytes;
  }

  /** Opens the draft of an earlier writing of the same job with the same options, or begins a new one. */
  static async open(
    target: FileTarget,
    form: string,
    mayContinue: boolean,
  ): Promise<{ readonly draft: DraftFile; readonly progress: Progress }> {
    const saved = mayContinue ? await savedState(target, form) : null;
    try {
      if (saved !== null) {
        const file = await open(target.draft, 'r+');
        await file.truncate(saved.bytes);
        const { ok, error, tokens, read } = saved;
        return {
          draft: new DraftFile(target, form, file, saved.bytes),
          progress: { ok, error, tokens, read: new SeqRanges(read) },
        };
      }
      // First, so that a draft without it is known to be another program's file.
      await writeFile(target.state, '');
      const draft = new DraftFile(target, form, await open(target.draft, 'w'), 0);
      const progress = noProgress();
      await draft.save(progress);
      return { draft, progress };
    } catch (error) {
      throw writeFailure(error, target, 0);
    }
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  async append(text: string): Promise<void> {
    const data = Buffer.from(text);
    try {
      for (let at = 0; at < data.length; ) {
        const { bytesWritten } = await this.#file.write(data, at, data.length - at, this.#bytes + at);
        at += bytesWritten;
      }
    } catch (error) {
      throw writeFailure(error, this.#target, this.#savedBytes);
    }
    this.#bytes += data.length;
  }

  /** Bytes that a second writing would have to write again. */
  get unsavedBytes(): number {
    return this.#bytes - this.#savedBytes;
  }

  /** Notes that what was appended so far is valid. */
  async save({ ok, error, tokens, read }: Progress): Promise<void> {
    const state: SavedState = {
      form: this.#form,
      bytes: this.#bytes,
      ok,
      error,
      tokens,
      read: read.toJSON(),
    };
    try {
      await this.#file.datasync();
      await writeFile(`${this.#target.state}.new`, JSON.stringify(state));
      await rename(`${this.#target.state}.new`, this.#target.state);
    } catch (cause) {
      throw writeFailure(cause, this.#target, this.#savedBytes);
    }
    this.#savedBytes = this.#bytes;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Gives the file its final name. */
  async finish(): Promise<void> {
    await this.#file.datasync();
    await this.close();
    const { size } = await stat(this.#target.draft);
    if (size !== this.#bytes)
      throw new Failure(EXIT.unavailable, `Another program has changed ${this.#target.draft}.`);
    await rename(this.#target.draft, this.#target.path);
    await rm(this.#target.state, { force: true });
  }
}

async function savedState({ draft, state }: FileTarget, form: string): Promise<SavedState | null> {
  try {
    const saved = JSON.parse(await readFile(state, 'utf8')) as SavedState;
    const { size } = await stat(draft);
    return saved.form === form && size >= saved.bytes ? saved : null;
  } catch {
    return null;
  }
}

function writeFailure(error: unknown, { draft, path }: FileTarget, savedBytes: number): unknown {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (!NO_SPACE.includes(String(code))) return error;
  const kept = savedBytes > 0 ? `The outcomes so far are in ${draft}.` : `Nothing was written to ${path}.`;
  return new Failure(
    EXIT.unavailable,
    `The disk is full. ${kept} Free some space and run the same command again: it continues.`,
  );
}
