import { KEY_ROLES } from '@macbatch/core';
import {
  EXIT,
  Failure,
  invitationLine,
  printJson,
  printLine,
  type Terminal,
  table,
} from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { addCommand } from './command-names.ts';

interface CreateOptions extends ConnectionOptions {
  readonly role: (typeof KEY_ROLES)[number];
  readonly name: string;
  readonly group?: string;
  readonly workerId?: string;
  readonly days?: string;
}

interface InviteOptions extends ConnectionOptions {
  readonly workerId?: string;
  readonly minutes: string;
}

/** Adds the command `keys` with its subcommands. */
export function addKeys(program: Command, terminal: Terminal): void {
  const keys = addCommand(program, 'keys');

  withConnection(keys.command('create').description('create a key and print it; it is never shown again'))
    .addOption(new Option('--role <role>', 'role of the key').choices([...KEY_ROLES]).makeOptionMandatory())
    .requiredOption('--name <name>', 'name of the owner')
    .option('--group <group>', 'group of the owner; keys of one group see the same jobs (default: the name)')
    .option('--worker-id <id>', 'id of the worker that uses the key; only for the role worker')
    .option('--days <n>', 'days until the key expires (default: never)')
    .action(async (options: CreateOptions) => {
      const { role, name, group, workerId, days } = options;
      const reply = await connect(options, terminal).call('createKey', {
        body: {
          role,
          name,
          ...(group === undefined ? {} : { group }),
          ...(workerId === undefined ? {} : { worker_id: workerId }),
          ...(days === undefined ? {} : { expires_in_days: parsePositive('--days', days) }),
        },
      });
      if (options.json === true) return printJson(terminal.stdout, reply);
      printLine(terminal.stdout, reply.key);
      printLine(terminal.stderr, `Save this key: it is never shown again. Its id is ${reply.view.id}.`);
    });

  withConnection(keys.command('list').description('list keys, newest first')).action(
    async (options: ConnectionOptions) => {
      const list = await connect(options, terminal).call('listKeys', {});
      if (options.json === true) return printJson(terminal.stdout, list.keys);
      const rows = list.keys.map((key) => [
        key.id,
        key.name,
        key.role,
        key.worker_id ?? key.group,
        key.created_at,
        key.revoked_at === null ? (key.expires_at ?? '') : `revoked ${key.revoked_at}`,
      ]);
      printLine(terminal.stdout, table(['id', 'name', 'role', 'group or worker', 'created', 'ends'], rows));
    },
  );

  withConnection(
    keys.command('revoke <id>').description('revoke a key; requests with it are refused from now on'),
  ).action(async (id: string, options: ConnectionOptions) => {
    const key = await connect(options, terminal).call('revokeKey', { params: { id } });
    if (options.json === true) return printJson(terminal.stdout, key);
    printLine(terminal.stdout, `${key.id} (${key.name}) was revoked at ${key.revoked_at}`);
  });

  withConnection(
    keys
      .command('invite')
      .description(
        'print a line to paste on another Mac: it installs macbatch, joins once, and starts the worker',
      ),
  )
    .option('--worker-id <id>', 'id of the only worker that may use it (default: no restriction)')
    .option('--minutes <n>', 'minutes until the token expires', '60')
    .action(async (options: InviteOptions) => {
      const client = connect(options, terminal);
      const reply = await client.call('createJoinToken', {
        body: {
          expires_in_minutes: parsePositive('--minutes', options.minutes),
          ...(options.workerId === undefined ? {} : { worker_id: options.workerId }),
        },
      });
      const { workerId } = options;
      const line = invitationLine({
        url: client.baseUrl,
        token: reply.token,
        ...(workerId === undefined ? {} : { workerId }),
      });
      if (options.json === true) return printJson(terminal.stdout, { ...reply, line });
      printLine(terminal.stdout, line);
      printLine(terminal.stderr, `Paste this into a terminal of the other Mac before ${reply.expires_at}.`);
    });
}

function parsePositive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Failure(EXIT.usage, `${option} must be a number above 0`);
  return number;
}
