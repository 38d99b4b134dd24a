import { printJson, printLine, type Terminal, table, workerTable } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { addCommand } from './command-names.ts';

/** Adds the commands `workers`, `boots` and `reclaim`. */
export function addWorkerLists(program: Command, terminal: Terminal): void {
  withConnection(addCommand(program, 'workers')).action(async (options: ConnectionOptions) => {
    const { workers } = await connect(options, terminal).call('listWorkers', {});
    if (options.json === true) return printJson(terminal.stdout, workers);
    return printLine(terminal.stdout, workerTable(workers));
  });

  withConnection(addCommand(program, 'boots')).action(
    async (name: string | undefined, options: ConnectionOptions) => {
      const { boots } = await connect(options, terminal).call('listBoots', {
        query: name === undefined ? {} : { name },
      });
      if (options.json === true) return printJson(terminal.stdout, boots);
      const rows = boots.map((boot) => [
        boot.name,
        boot.role,
        boot.verdict,
        boot.started_at,
        boot.hostname,
        boot.pid,
        boot.boot_id,
      ]);
      return printLine(
        terminal.stdout,
        table(['name', 'role', 'verdict', 'started', 'host', 'pid', 'boot'], rows),
      );
    },
  );

  withConnection(addCommand(program, 'reclaim')).action(async (options: ConnectionOptions) => {
    const reply = await connect(options, terminal).call('reclaim', {});
    if (options.json === true) return printJson(terminal.stdout, reply);
    return printLine(terminal.stdout, `${reply.reclaimed} tasks taken back, ${reply.failed} failed`);
  });
}
