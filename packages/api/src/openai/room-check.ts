import { RefusedRequest } from '../requests/refused-request.ts';

/** Bytes between two checks of the free disk space. */
const BYTES_A_LOOK = 16 * 1024 * 1024;

/** Makes a check that looks for free disk space at the start of an upload and again after every 16 MB. */
export function roomCheck(hasRoom: () => Promise<boolean>): (uploadedBytes: number) => Promise<void> {
  let nextLook = 0;
  return async (uploadedBytes) => {
    if (uploadedBytes < nextLook) return;
    nextLook += BYTES_A_LOOK;
    if (await hasRoom()) return;
    throw new RefusedRequest(
      'database_full',
      'The disk of the database is nearly full. Nothing of the upload was stored. Free some disk space, then send it again.',
    );
  };
}
