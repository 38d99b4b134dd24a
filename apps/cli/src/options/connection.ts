import { Client } from '@macbatch/client';
import { checkControlUrl, keyOf, refusePlainHttp, trustCertificates } from '@macbatch/process';
import { ConfigError, DEFAULT_CONTROL_URL } from '@macbatch/settings';
import type { Terminal } from '@macbatch/terminal';
import { EXIT, Failure } from '@macbatch/terminal';
import type { Command } from 'commander';

export interface ConnectionOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** Adds the options of a command that calls a control plane. */
export function withConnection(command: Command): Command {
  return command
    .option('--url <url>', `URL of the control plane (default: $MACBATCH_URL or ${DEFAULT_CONTROL_URL})`)
    .option('--json', 'print JSON');
}

/** Creates the client of a command from its options and the environment. */
export function connect(options: Pick<ConnectionOptions, 'url'>, terminal: Terminal): Client {
  return createClient(options.url ?? terminal.env['MACBATCH_URL'] ?? DEFAULT_CONTROL_URL, terminal);
}

/** Creates a client with the key and the certificates that the environment names. Throws a `Failure`. */
export function createClient(baseUrl: string, { env }: Pick<Terminal, 'env'>): Client {
  try {
    const connection = {
      MACBATCH_KEY: env['MACBATCH_KEY'],
      MACBATCH_KEY_FILE: env['MACBATCH_KEY_FILE'],
      MACBATCH_CA_FILE: env['MACBATCH_CA_FILE'],
      MACBATCH_ALLOW_HTTP: ['1', 'true'].includes(env['MACBATCH_ALLOW_HTTP'] ?? ''),
    };
    checkControlUrl(baseUrl);
    refusePlainHttp(baseUrl, connection);
    trustCertificates(connection);
    const key = keyOf(connection);
    return new Client({ baseUrl, ...(key === undefined ? {} : { key }) });
  } catch (error) {
    if (error instanceof ConfigError) throw new Failure(EXIT.usage, error.message);
    throw error;
  }
}
