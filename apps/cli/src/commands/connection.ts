import { Client } from '@macbatch/client';
import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';

export const DEFAULT_URL = 'http://127.0.0.1:7420';

export interface ConnectionOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** Adds what every command that talks to a control plane takes. */
export function withConnection(command: Command): Command {
  return command
    .option('--url <url>', `the control plane (default: $MACBATCH_URL or ${DEFAULT_URL})`)
    .option('--json', 'print JSON for programs');
}

/** The client that a command talks through. */
export function connect(options: ConnectionOptions, terminal: Terminal): Client {
  return new Client({ baseUrl: options.url ?? terminal.env['MACBATCH_URL'] ?? DEFAULT_URL });
}
