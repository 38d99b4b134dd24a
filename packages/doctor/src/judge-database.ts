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
