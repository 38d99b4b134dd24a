import { ConnectionPool } from '@macbatch/connection';
import { Placeholder, type SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type postgres from 'postgres';
import { type Placeholders, placeholders } from './arguments.ts';

const dialect = new PgDialect();

/** A statement runs on any connection of a connection pool, or on the connection of a transaction. */
type SqlClient = ConnectionPool | postgres.Sql | postgres.TransactionSql;

/** A statement without arguments. */
export type NoArguments = Readonly<Record<never, never>>;

type Given<Args> = keyof Args extends never ? [] : [args: Args];

/** SQL with typed arguments and rows, rendered once and run as a prepared statement. */
export interface Statement<Args, Row> {
  readonly text: string;
  /** The values in the order of the placeholders. */
  values(...given: Given<Args>): postgres.ParameterOrJSON<never>[];
  run(client: SqlClient, ...given: Given<Args>): Promise<readonly Row[]>;
  /** Runs a statement that returns one row. Rejects when there is none. */
  one(client: SqlClient, ...given: Given<Args>): Promise<Row>;
}

/**
 * Builds a statement from SQL whose arguments are the functions of `arg`. Drizzle renders the text once;
 * postgres.js runs it prepared. Drizzle itself would have the server parse and plan each call again, for
 * 1.5 times the CPU.
 */
export function statement<Args extends object, Row>(
  write: (arg: Placeholders<Args>) => SQL,
): Statement<Args, Row> {
  const { sql: text, params } = dialect.sqlToQuery(write(placeholders<Args>()));
  const names = params.map((param) => {
    if (param instanceof Placeholder) return String(param.name);
    throw new TypeError(`A statement may hold no values, only arguments: ${text}`);
  });
  const values = (...[args]: Given<Args>) =>
    names.map((name) => {
      const value: unknown = Reflect.get(args ?? {}, name);
      if (value === undefined) throw new TypeError(`The argument ${name} is missing in: ${text}`);
      // The driver's type does not name everything that it accepts as an argument.
      return value as postgres.ParameterOrJSON<never>;
    });
  const run = async (client: SqlClient, ...given: Given<Args>) => {
    const ordered = values(...given);
    const send = async (sql: postgres.Sql | postgres.TransactionSql): Promise<readonly Row[]> =>
      sql.unsafe<Row[]>(text, ordered, { prepare: true });
    return client instanceof ConnectionPool ? client.run(send) : send(client);
  };
  return {
    text,
    values,
    run,
    async one(client, ...given) {
      const [row] = await run(client, ...given);
      if (row === undefined) throw new Error(`A statement that returns one row returned none: ${text}`);
      return row;
    },
  };
}
