import { messageOf } from '@macbatch/core';
/**
 * A test program: opens the embedded server in the folder of its argument, or a throwaway server without an argument.
 *
 * Prints the URL of the server, or the error, as one line of JSON. On SIGINT it queries the server, prints the answer,
 * closes the server and ends.
 */
import { withConnection } from '../admin-connection.ts';
import { openPostgres } from '../open-postgres.ts';

const dataDir = process.argv[2];
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const server = await openPostgres(dataDir === undefined ? { throwaway: true } : { dataDir });
  const stayAlive = setInterval(() => undefined, 60_000);
  process.once('SIGINT', async () => {
    const [row] = await withConnection(
      server.url,
      (sql) => sql<{ answer: string }[]>`select 'still here' as answer`,
    );
    print({ answer: row?.answer });
    await server.close();
    clearInterval(stayAlive);
  });
  print({ url: server.url });
} catch (error) {
  print({ error: messageOf(error) });
}
