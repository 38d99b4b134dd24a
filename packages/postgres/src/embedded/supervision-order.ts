import type { ServerUser } from './server-user.ts';

/** A message from the supervisor to its owner: the server's process id, or how the server ended. */
export type SupervisionReport = { readonly postmaster: number } | { readonly ended: string };

/** The argument of the supervisor. Every user of the machine can see it, so it must not contain secrets. */
export interface SupervisionOrder {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly user: ServerUser | undefined;
  /** SIGINT stops cleanly. SIGQUIT stops immediately, for data that are no longer needed. */
  readonly stopSignal: 'SIGINT' | 'SIGQUIT';
  /** Folder to delete after the owner has released the server or has died. */
  readonly removeAfter: string | undefined;
}
