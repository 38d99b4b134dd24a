import { type SQL, sql } from 'drizzle-orm';

/** The SQL types of arguments, and the values that the driver takes for each. */
interface ArgumentTypes {
  text: string;
  uuid: string;
  int: number;
  float8: number;
  bool: boolean;
  bytea: Buffer;
  'text[]': readonly (string | null)[];
  'uuid[]': readonly string[];
  'int[]': readonly (number | null)[];
  /** As decimal digits: a 63-bit number does not fit into a JavaScript number. */
  'bigint[]': readonly string[];
}

type SqlTypeOf<Value> = {
  [Type in keyof ArgumentTypes]: NonNullable<Value> extends ArgumentTypes[Type] ? Type : never;
}[keyof ArgumentTypes];

/**
 * The placeholders of a statement, by argument: `arg.worker('text')` renders as `$1::text`. A name that is not an
 * argument does not compile, nor does an SQL type that does not fit the argument's value.
 */
export type Placeholders<Args> = {
  readonly [Name in keyof Args]: (type: SqlTypeOf<Args[Name]>) => SQL;
};

/** The placeholders of any statement. Drizzle numbers them, and repeats a value that stands in the text twice. */
export function placeholders<Args>(): Placeholders<Args> {
  return new Proxy(Object.create(null), {
    get: (_, name) => (type: string) => sql`${sql.placeholder(String(name))}::${sql.raw(type)}`,
  });
}
