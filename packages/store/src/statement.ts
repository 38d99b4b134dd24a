import { Placeholder, type SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type postgres from 'postgres';
import { Pool } from './pool.ts';

const dialect = new PgDialect();

type Argument = postgres.ParameterOrJSON<never> | readonly unknown[] | bigint | Buffer | null;

/**
 * A statement written with Drizzle, rendered once, and run prepared through postgres.js: sent through
 * Drizzle itself every call would be parsed and planned anew, at one and a half times the CPU.
 */
export interface Statement<Arguments extends Readonly<Record<string, Argument>>, Row> {
  readonly text: string;
  /** On any connection of a pool, or on the one that a transaction has. */
  run(client: Pool | postgres.Sql | postgres.TransactionSql, args: Arguments): Promise<readonly Row[]>;
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
  return {
    text: rendered.sql,
    async run(client, args) {
      const values = names.map((name) => args[name] ?? null);
      const send = async (sql: postgres.Sql | postgres.TransactionSql) =>
        // The driver types rows as unknown; what a statement returns is declared beside its text.
        (await sql.unsafe(rendered.sql, values as postgres.ParameterOrJSON<never>[], {
          prepare: true,
        })) as unknown as readonly Row[];
      return client instanceof Pool ? client.run(send) : send(client);
    },
  };
}
