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
  run(client: postgres.Sql | postgres.TransactionSql, args: Arguments): Promise<readonly Row[]>;
}

/** Renders `query`, whose arguments stand in it as `sql.placeholder(name)`. */
export function statement<Arguments extends Readonly<Record<string, Argument>>, Row>(
  query: SQL,
  prepare = true,
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
      // The driver types rows as unknown; what a statement returns is declared beside its text.
      return (await client.unsafe(rendered.sql, values as postgres.ParameterOrJSON<never>[], {
        prepare,
      })) as unknown as readonly Row[];
    },
  };
}
