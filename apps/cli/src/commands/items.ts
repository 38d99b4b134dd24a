import { ITEM_STATES } from '@macbatch/core';
import { EXIT, Failure, itemTable, itemText, printJson, printLine, type Terminal } from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { completeJobId } from '../options/job-id.ts';
import { addCommand } from './command-names.ts';

interface ItemsOptions extends ConnectionOptions {
  readonly state?: (typeof ITEM_STATES)[number];
  readonly failure?: string;
  readonly search?: string;
  readonly after?: string;
  readonly limit: string;
}

/** Adds the commands `items` and `item`. */
export function addItems(program: Command, terminal: Terminal): void {
  withConnection(addCommand(program, 'items'))
    .addOption(new Option('--state <state>', 'only items in this state').choices(ITEM_STATES))
    .option('--failure <group>', 'only the failures of this group; macbatch failures lists the groups')
    .option('--search <id>', 'only items whose ids begin with this text')
    .option('--after <item>', 'only items behind this position')
    .option('--limit <n>', 'number of items', '50')
    .action(async (part: string, { json, url, search, ...query }: ItemsOptions) => {
      const client = connect(url === undefined ? {} : { url }, terminal);
      const id = await completeJobId(client, part);
      const { items, next } = await client.call('listItems', {
        params: { id },
        query: { ...query, ...(search === undefined ? {} : { q: search }) },
      });
      if (json === true) return printJson(terminal.stdout, items);
      printLine(terminal.stdout, items.length === 0 ? 'no items' : itemTable(items));
      if (next !== null) printLine(terminal.stderr, `there are more items: --after ${next}`);
    });

  withConnection(addCommand(program, 'item'))
    .option('--seq <n>', 'the position of the item, from 0, instead of its id')
    .action(
      async (
        part: string,
        itemId: string | undefined,
        { json, url, seq }: ConnectionOptions & { readonly seq?: string },
      ) => {
        if ((itemId === undefined) === (seq === undefined))
          throw new Failure(EXIT.usage, 'Give either the id of the item or --seq.');
        const client = connect(url === undefined ? {} : { url }, terminal);
        const item = await client.call('readItem', {
          params: { id: await completeJobId(client, part) },
          query: seq === undefined ? { item_id: itemId } : { seq },
        });
        if (json === true) return printJson(terminal.stdout, item);
        return printLine(terminal.stdout, itemText(item));
      },
    );
}
