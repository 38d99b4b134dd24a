import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The program that opens an address in the browser of the user: of macOS, or of Linux desktops. */
const OPENER = process.platform === 'darwin' ? 'open' : 'xdg-open';

/** Opens an address in the user's browser. Returns why that was not possible, or null. */
export async function openInBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const opener = spawn(OPENER, [url], { stdio: 'ignore', detached: true, env: { ...env } });
  opener.unref();
  try {
    await once(opener, 'spawn');
    return null;
  } catch {
    return `${OPENER} is not installed`;
  }
}
