import { KEY_ROLES } from '@macbatch/core';
import { EXIT, Failure, say, sayJson, type Terminal, table } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';

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

export function addKeys(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('create, list and revoke the keys of a control plane');

  withConnection(keys.command('create').description('create a key and print it, this once'))
    .addOption(new Option('--role <role>', 'what it is for').choices([...KEY_ROLES]).makeOptionMandatory())
    .requiredOption('--name <name>', 'whose it is')
    .option('--group <group>', 'keys of one group see the same jobs (default: the name)')
    .option('--worker-id <id>', 'the worker that a worker key speaks for')
    .option('--days <n>', 'how long it is good for (default: until it is revoked)')
    .action(async (options: CreateOptions) => {
      const { role, name, group, workerId, days } = options;
      const reply = await connect(options, terminal).call('createKey', {
        body: {
          role,
          name,
          ...(group === undefined ? {} : { group }),
          ...(workerId === undefined ? {} : { worker_id: workerId }),
          ...(days === undefined ? {} : { expires_in_days: positive('--days', days) }),
        },
      });
      if (options.json === true) return sayJson(terminal.stdout, reply);
      say(terminal.stdout, reply.key);
      say(terminal.stderr, `This is all that is ever shown of it. Its id is ${reply.view.id}.`);
    });

  withConnection(keys.command('list').description('list keys, newest first')).action(
    async (options: ConnectionOptions) => {
      const list = await connect(options, terminal).call('listKeys', {});
      if (options.json === true) return sayJson(terminal.stdout, list.keys);
      const rows = list.keys.map((key) => [
        key.id,
        key.name,
        key.role,
        key.worker_id ?? key.group,
        key.created_at,
        key.revoked_at === null ? (key.expires_at ?? '') : `revoked ${key.revoked_at}`,
      ]);
      say(terminal.stdout, table(['id', 'name', 'role', 'group or worker', 'created', 'ends'], rows));
    },
  );

  withConnection(keys.command('revoke <id>').description('revoke a key: it is refused from now on')).action(
    async (id: string, options: ConnectionOptions) => {
      const key = await connect(options, terminal).call('revokeKey', { params: { id } });
      if (options.json === true) return sayJson(terminal.stdout, key);
      say(terminal.stdout, `${key.id} (${key.name}) was revoked at ${key.revoked_at}`);
    },
  );

  withConnection(keys.command('invite').description('print a token with which one worker may join, once'))
    .option('--worker-id <id>', 'the only worker that may use it (default: whichever comes first)')
    .option('--minutes <n>', 'how long it is good for', '60')
    .action(async (options: InviteOptions) => {
      const client = connect(options, terminal);
      const reply = await client.call('createJoinToken', {
        body: {
          expires_in_minutes: positive('--minutes', options.minutes),
          ...(options.workerId === undefined ? {} : { worker_id: options.workerId }),
        },
      });
      if (options.json === true) return sayJson(terminal.stdout, reply);
      say(terminal.stdout, reply.token);
      say(
        terminal.stderr,
        `Until ${reply.expires_at}, on the worker: macbatch worker join ${client.baseUrl} --token …`,
      );
    });
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Failure(EXIT.usage, `${option}: a number above 0`);
  return number;
}
