import type { DatabaseView } from '@macbatch/contract';
import { type Finding, finding } from './finding.ts';

const OLDEST_POSTGRES = 15;
const RELOAD = 'then: select pg_reload_conf()';

/** Checks that a database is durable, stays fast, and has enough connections for the control planes. */
export function judgeDatabase(database: DatabaseView): Finding[] {
  return [
    judgeVersion(database.server_version),
    judgeDurability(database),
    database.autovacuum
      ? finding('vacuum', 'ok', 'autovacuum is on')
      : finding(
          'vacuum',
          'fail',
          'autovacuum is off: tables grow, and leases become slower and slower',
          `alter system set autovacuum = on; ${RELOAD}`,
        ),
    judgeConnections(database),
    judgeOldestTransaction(database),
    judgeTransactionIds(database),
  ];
}

function judgeVersion(version: string): Finding {
  const check = 'postgres';
  if (Number.parseInt(version, 10) >= OLDEST_POSTGRES) return finding(check, 'ok', version);
  return finding(
    check,
    'fail',
    `${version} is older than ${OLDEST_POSTGRES}, the oldest version that macbatch supports`,
    `Upgrade to Postgres ${OLDEST_POSTGRES} or newer.`,
  );
}

function judgeDurability(database: DatabaseView): Finding {
  const off = [
    ...(database.fsync ? [] : ['fsync']),
    ...(database.full_page_writes ? [] : ['full_page_writes']),
    ...(database.synchronous_commit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (off.length === 0)
    return finding('durability', 'ok', 'fsync, full_page_writes and synchronous_commit are on');
  return finding(
    'durability',
    'fail',
    `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: a crash loses or corrupts acknowledged outcomes`,
    `${off.map((name) => `alter system set ${name} = on`).join('; ')}; ${RELOAD}`,
  );
}

/** An upload keeps a transaction open until its last line, by default for up to an hour. */
const LONG_TRANSACTION_SECONDS = 600;
const UPLOAD_SECONDS = 3600;

function judgeOldestTransaction({ oldest_transaction: oldest }: DatabaseView): Finding {
  const check = 'transactions';
  if (oldest === null) return finding(check, 'ok', 'no transaction has been open for long');
  const { seconds, application, pid } = oldest;
  const found = `the oldest has been open for ${Math.round(seconds)} s (${application === '' ? 'no name' : application}, pid ${pid})`;
  const limit = application === 'macbatch-upload' ? UPLOAD_SECONDS : LONG_TRANSACTION_SECONDS;
  if (seconds < limit) return finding(check, 'ok', found);
  return finding(
    check,
    'warn',
    `${found}: vacuum keeps every row that was deleted since, and the pool becomes slower`,
    `Find out what it does: select * from pg_stat_activity where pid = ${pid}; end it: select pg_terminate_backend(${pid})`,
  );
}

/** Autovacuum freezes rows at 200 million by default. Twice as many means that it does not keep up. */
const MANY_TRANSACTION_IDS = 400_000_000;
const TOO_MANY_TRANSACTION_IDS = 1_500_000_000;

function judgeTransactionIds({ transaction_id_age: age }: DatabaseView): Finding {
  const check = 'transaction ids';
  if (age === null)
    return finding(check, 'info', 'the control plane is of an earlier release and does not report them');
  const found = `${Math.round(age / 1e6)} million of 2,000 million in use`;
  if (age < MANY_TRANSACTION_IDS) return finding(check, 'ok', found);
  return finding(
    check,
    age < TOO_MANY_TRANSACTION_IDS ? 'warn' : 'fail',
    `${found}: vacuum does not keep up, and Postgres will refuse writes`,
    'End long transactions, then: vacuum (freeze)',
  );
}

function judgeConnections(database: DatabaseView): Finding {
  const check = 'connections';
  const usableConnections = database.max_connections - database.reserved_connections;
  const each = database.connections_each;
  const controlPlanes = Math.floor(usableConnections / each);
  const found = `${database.used_connections} of ${usableConnections} in use; a control plane opens up to ${each}`;
  if (controlPlanes < 1) {
    return finding(
      check,
      'fail',
      `${found}: not enough for one control plane`,
      `Raise max_connections to at least ${each + database.reserved_connections}, and restart Postgres.`,
    );
  }
  if (database.used_connections > usableConnections * 0.9) {
    return finding(check, 'warn', found, 'Raise max_connections, or find out what else uses this server.');
  }
  return finding(
    check,
    'ok',
    `${found}: enough for ${controlPlanes} control ${controlPlanes === 1 ? 'plane' : 'planes'}`,
  );
}
