import { failureTable, printJson, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { completeJobId } from '../options/job-id.ts';
import { ownCommand } from '../options/own-command.ts';
import { addCommand } from './command-names.ts';

/** Adds the command `failures`. */
export function addFailures(program: Command, terminal: Terminal): void {
  withConnection(addCommand(program, 'failures')).action(async (part: string, options: ConnectionOptions) => {
    const client = connect(options, terminal);
    const id = await completeJobId(client, part);
    const failures = await client.call('listFailures', { params: { id } });
    if (options.json === true) return printJson(terminal.stdout, failures);
    const { groups, others } = failures;
    const [largest] = groups;
    if (largest === undefined) return printLine(terminal.stdout, 'no item has failed');
    const rows = groups.map(({ example_id: exampleId, ...group }) => ({ ...group, exampleId }));
    printLine(terminal.stdout, failureTable(rows));
    if (others > 0)
      printLine(terminal.stdout, `${others.toLocaleString('en')} more failures are not in this list`);
    return printLine(
      terminal.stdout,
      `\nnext: ${ownCommand(terminal.env, ['retry', id, '--failure', largest.id])}`,
    );
  });
}
