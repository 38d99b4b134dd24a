import type { ServerUser } from './server-user.ts';

/** What a supervisor tells its owner: the server's process id, and at last how it ended. */
export type SupervisionReport = { readonly postmaster: number } | { readonly ended: string };

/** What an owner tells the supervisor to run. Visible to every user of the machine, so without secrets. */
export interface SupervisionOrder {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly user: ServerUser | undefined;
  /** SIGINT: fast and clean. SIGQUIT: at once, for data that nobody needs any more. */
  readonly stopSignal: 'SIGINT' | 'SIGQUIT';
  /** Folder to delete once the server was stopped because the owner let go or died. */
  readonly removeAfter: string | undefined;
}
