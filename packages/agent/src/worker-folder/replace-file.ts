import { rename, writeFile } from 'node:fs/promises';

/**
 * Replaces a file as a whole, readable only by its owner. Does not use write-file-atomic, which adds and removes
 * a SIGXFSZ handler: without a handler, the signal kills a worker that reaches its file size limit.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
