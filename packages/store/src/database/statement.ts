import { ConnectionPool } from '@macbatch/connection';
import { Placeholder, type SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type postgres from 'postgres';

const dialect = new PgDialect();

type Argument = postgres.ParameterOrJSON<never> | readonly unknown[] | bigint | Buffer | null;

/**
 * A statement written with Drizzle, rendered once, and run prepared through postgres.js: sent through
 * Drizzle itself every call would be parsed and planned anew, at one and a half times the CPU.
 */
export interface Statement<Arguments extends Readonly<Record<string, Argument>>, Row> {
  readonly text: string;
  /** The arguments in the order in which they stand in the text. */
  values(args: Arguments): postgres.ParameterOrJSON<never>[];
  /** On any connection of a pool, or on the one that a transaction has. */
  run(
    client: ConnectionPool | postgres.Sql | postgres.TransactionSql,
    args: Arguments,
  ): Promise<readonly Row[]>;
}

/** Renders `query`, whose arguments stand in it as `sql.placeholder(name)`. */
export function statement<Arguments extends Readonly<Record<string, Argument>>, Row>(
  query: SQL,
): Statement<Arguments, Row> {
  const rendered = dialect.sqlToQuery(query);
  const names = rendered.params.map((param) => {
    if (param instanceof Placeholder) return param.name;
    throw new TypeError(`a statement has an argument without a name in: ${rendered.sql}`);
  });
  // The driver has no name for what it takes as an argument here.
  const valuesOf = (args: Arguments) =>
    names.map((name) => args[name] ?? null) as postgres.ParameterOrJSON<never>[];
  return {
    text: rendered.sql,
    values: valuesOf,
    async run(client, args) {
      const values = valuesOf(args);
      // What a statement returns is declared beside its text.
      const send = async (sql: postgres.Sql | postgres.TransactionSql): Promise<readonly Row[]> =>
        sql.unsafe<Row[]>(rendered.sql, values, { prepare: true });
      return client instanceof ConnectionPool ? client.run(send) : send(client);
    },
  };
}
