import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { createApp } from '@macbatch/api';
import { createStore, type Store } from '@macbatch/store';
import { freshDatabase } from '@macbatch/store/testing';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { macbatch } from './testing/program.ts';

/** Starts a control plane in this process, over a database that the test may damage. */
async function serve(
  damage: (url: string) => Promise<void>,
  change: (store: Store) => Store,
): Promise<string> {
  const database = await freshDatabase();
  await damage(database.url);
  const store = createStore({ url: database.url, renewedLeaseSeconds: 2 });
  const server = createServer(getRequestListener(createApp({ store: change(store), open: true }).fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await store.close();
    await database[Symbol.asyncDispose]();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

interface Report {
  readonly verdict: string;
  readonly externalCount: number;
  readonly done: number;
  readonly boots: readonly unknown[];
  readonly duplicates: { readonly byItem: number; readonly byKey: number };
  readonly steps: readonly { readonly name: string; readonly held: boolean; readonly found: string }[];
}

/** Runs the protocol against a control plane. */
async function runProtocol(
  url: string,
  options: { readonly span: string; readonly patienceSeconds?: number },
) {
  const folder = mkdtempSync(join(tmpdir(), 'macbatch-protocol-test-'));
  const ended = await macbatch([
    'protocol',
    '--url',
    url,
    '--lease',
    '2',
    '-o',
    folder,
    '--json',
    '--items',
    '60',
    '--compress',
    `48h=${options.span}`,
    ...(options.patienceSeconds === undefined ? [] : ['--patience', String(options.patienceSeconds)]),
  ]);
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;
  return { ...ended, report, failed: report.steps.filter((step) => !step.held).map(({ name }) => name) };
}

it('P: passes against a healthy control plane and exits with 0', async () => {
  const url = await serve(
    async () => undefined,
    (store) => store,
  );
  const { exit, report, failed } = await runProtocol(url, { span: '16s' });
  expect(failed).toEqual([]);
  expect(report).toMatchObject({
    verdict: 'passed',
    externalCount: 60,
    done: 60,
    duplicates: { byItem: 0, byKey: 0 },
  });
  expect(report.boots).toHaveLength(4);
  expect(exit).toBe(0);
});

it('P: fails at the kill and at the count if the control plane reclaims no lease', async () => {
  const nothingReclaimed = { reclaimed: 0, failed: 0, jobIds: [] };
  const url = await serve(
    async () => undefined,
    (store) => ({ ...store, reclaim: async () => nothingReclaimed }),
  );
  const { exit, report, failed } = await runProtocol(url, { span: '12s', patienceSeconds: 3 });
  expect(report.verdict).toBe('failed');
  expect(failed).toContain('kill -9 a worker mid-task');
  expect(exit).toBe(1);
});

it('P: finds duplicates by item and by key if the primary keys are dropped', async () => {
  const url = await serve(
    async (database) => {
      const sql = postgres(database, { max: 1 });
      await sql`alter table results drop constraint results_job_id_seq_pk`;
      await sql`alter table ledger drop constraint ledger_owner_key_pk`;
      await sql.end();
    },
    (store) => store,
  );
  const { exit, report, failed } = await runProtocol(url, { span: '12s', patienceSeconds: 20 });
  expect(report.duplicates.byItem).toBeGreaterThan(0);
  expect(report.duplicates.byKey).toBeGreaterThan(0);
  expect(failed).toContain('look for duplicates');
  expect(exit).toBe(1);
});
