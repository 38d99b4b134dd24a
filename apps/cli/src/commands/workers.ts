import { printJson, printLine, type Terminal, table, workerTable } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';

/** Adds the commands `workers`, `boots` and `reclaim`. */
export function addWorkerLists(program: Command, terminal: Terminal): void {
  withConnection(
    program.command('workers').description('list workers: what each one runs, its rate, or why it is idle'),
  ).action(async (options: ConnectionOptions) => {
    const { workers } = await connect(options, terminal).call('listWorkers', {});
    if (options.json === true) return printJson(terminal.stdout, workers);
    return printLine(terminal.stdout, workerTable(workers));
  });

  withConnection(
    program.command('boots [name]').description('list boots of workers and control planes, newest first'),
  ).action(async (name: string | undefined, options: ConnectionOptions) => {
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
  });

  withConnection(
    program.command('reclaim').description('take back every task whose lease has expired'),
  ).action(async (options: ConnectionOptions) => {
    const reply = await connect(options, terminal).call('reclaim', {});
    if (options.json === true) return printJson(terminal.stdout, reply);
    return printLine(terminal.stdout, `${reply.reclaimed} tasks taken back, ${reply.failed} failed`);
  });
}
