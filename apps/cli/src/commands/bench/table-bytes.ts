import postgres from 'postgres';

/** Returns the bytes that macbatch's tables and indexes take on disk. */
export async function tableBytes(databaseUrl: string): Promise<number> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const [row] = await client<{ bytes: number }[]>`
      select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`;
    return row?.bytes ?? 0;
  } finally {
    await client.end({ timeout: 5 });
  }
}
