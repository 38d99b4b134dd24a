import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file by a new one. A program that runs keeps the old one: macOS kills a program whose file changes. */
export async function replaceFileAs(mode: number, path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.new`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
}
