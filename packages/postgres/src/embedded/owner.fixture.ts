import { messageOf } from '@macbatch/core';
/**
 * A program for tests: owns the embedded server in the folder given as argument, or a throwaway one without.
 *
 * Prints its server's URL, or why it got none, as one line of JSON. On SIGINT it drains: asks its server
 * something, prints the answer, closes the server and ends.
 */
import { withConnection } from '../admin-connection.ts';
import { openPostgres } from '../open-postgres.ts';

const dataDir = process.argv[2];
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const server = await openPostgres(dataDir === undefined ? { throwaway: true } : { dataDir });
  const stayAlive = setInterval(() => undefined, 60_000);
  process.once('SIGINT', async () => {
    const [row] = await withConnection(
      server.url,
      (sql) => sql<{ answer: string }[]>`select 'still here' as answer`,
    );
    say({ answer: row?.answer });
    await server.close();
    clearInterval(stayAlive);
  });
  say({ url: server.url });
} catch (error) {
  say({ error: messageOf(error) });
}
