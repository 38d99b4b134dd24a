import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a person at the machine has asked for. */
export interface PauseHere {
  /** Null: until a person resumes the worker. */
  readonly until: Date | null;
  readonly reason: string | null;
}

const NAME = 'pause.json';

/** Keeps the worker of this folder from running, also over restarts. */
export async function writePause(folder: string, { until, reason }: PauseHere): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, NAME);
  const written = `${path}.${process.pid}`;
  await writeFile(written, `${JSON.stringify({ until: until?.toISOString() ?? null, reason })}\n`, {
    mode: 0o600,
  });
  await rename(written, path);
}

/** Ends the pause. Returns false if there was none. */
export async function removePause(folder: string): Promise<boolean> {
  const before = await readFile(join(folder, NAME)).catch(() => null);
  await rm(join(folder, NAME), { force: true });
  return before !== null;
}

/** The pause of the worker of this folder; null if there is none or its end has passed. */
export async function readPause(folder: string, now: Date): Promise<PauseHere | null> {
  const text = await readFile(join(folder, NAME), 'utf8').catch(() => null);
  return text === null ? null : pauseIn(text, now);
}

/** A file that a person has edited and that cannot be read still pauses: it is there for that. */
function pauseIn(text: string, now: Date): PauseHere | null {
  const { until, reason } = objectIn(text);
  const end = typeof until === 'string' ? new Date(until) : null;
  if (end !== null && end <= now) return null;
  return {
    until: end === null || Number.isNaN(end.getTime()) ? null : end,
    reason: typeof reason === 'string' ? reason.slice(0, 500) : null,
  };
}

function objectIn(text: string): { readonly until?: unknown; readonly reason?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
