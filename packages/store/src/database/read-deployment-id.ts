import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { deployment } from './schema.ts';
import { type NoArguments, statement } from './statement.ts';

const readDeployment = statement<NoArguments, { readonly id: string }>(
  () => sql`select id from ${deployment}`,
);

/** Reads the id of the deployment that this database is. It never changes. */
export async function readDeploymentId({ durable }: ConnectionPools): Promise<string> {
  return (await readDeployment.one(durable)).id;
}
