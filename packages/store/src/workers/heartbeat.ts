import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { workers } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { alive } from './alive.ts';
import { type PauseRow, pauseColumns, personPause, type WorkerPause } from './pause.ts';
import { ratesToJson, troublesToJson, type WorkerAdvert } from './worker.ts';

export interface Heartbeat extends WorkerAdvert {
  /** The worker's former boots, from its disk; null from a release that does not send them. */
  readonly formerBoots: readonly string[] | null;
}

type HeartbeatArguments = {
  worker: string;
  boot: string;
  hostname: string;
  jobTypes: readonly string[];
  models: readonly string[];
  concurrency: number;
  leaseLimit: number;
  rates: string;
  troubles: string;
  offline: boolean;
  formerBoots: readonly string[] | null;
  pauseRule: string | null;
  pauseReason: string | null;
  pausedForMs: number;
};

/**
 * W1, W8: stores a worker's heartbeat. Returns no row when another machine works under this worker id: then nothing
 * changes. A boot replaces the stored boot if the stored one is not alive, or if the new boot names it as a former
 * boot, which only a process on the same disk can do. A worker that sends no former boots always replaces it.
 */
const upsertWorker = statement<HeartbeatArguments, PauseRow & { readonly now: Date }>(
  (arg) => sql`
  insert into ${workers} as worker (id, boot_id, hostname, job_types, models, concurrency, lease_limit, rates, troubles, offline,
    own_pause_rule, own_pause_reason, own_paused_at)
  values (${arg.worker('text')}, ${arg.boot('text')}, ${arg.hostname('text')}, ${arg.jobTypes('text[]')}, ${arg.models('text[]')},
    ${arg.concurrency('int')}, ${arg.leaseLimit('int')}, ${arg.rates('text')},
    ${arg.troubles('text')}, ${arg.offline('bool')}, ${arg.pauseRule('text')}, ${arg.pauseReason('text')},
    case when ${arg.pauseRule('text')} is not null then now() - ${arg.pausedForMs('float8')} * interval '1 millisecond' end)
  on conflict (id) do update set boot_id = excluded.boot_id, hostname = excluded.hostname, job_types = excluded.job_types,
    models = excluded.models, concurrency = excluded.concurrency, lease_limit = excluded.lease_limit, rates = excluded.rates,
    troubles = excluded.troubles,
    offline = excluded.offline, last_heartbeat_at = now(), own_pause_rule = excluded.own_pause_rule,
    own_pause_reason = excluded.own_pause_reason,
    own_paused_at = case when worker.own_pause_rule = excluded.own_pause_rule then worker.own_paused_at else excluded.own_paused_at end
  where worker.boot_id = excluded.boot_id or not ${alive(sql`worker`)}
    or coalesce(worker.boot_id = any(${arg.formerBoots('text[]')}), true)
  returning now() as now, ${pauseColumns(sql`worker`)}`,
);

const readHostname = statement<{ worker: string }, { readonly hostname: string }>(
  (arg) => sql`select hostname from ${workers} where id = ${arg.worker('text')}`,
);

/** The database's clock and the worker's pause, or the host that works under the same worker id. */
export type Admission =
  | { readonly now: Date; readonly pause: WorkerPause | null }
  | { readonly inUseBy: string };

/** Registers or refreshes a worker, unless another machine works under its id. */
export async function recordHeartbeat(
  connections: ConnectionPools,
  { rates, troubles, ownPause, ...heartbeat }: Heartbeat,
): Promise<Admission> {
  const args = {
    ...heartbeat,
    rates: ratesToJson(rates ?? []),
    troubles: troublesToJson(troubles ?? []),
    pauseRule: ownPause?.rule ?? null,
    pauseReason: ownPause?.reason ?? null,
    pausedForMs: ownPause?.forMs ?? 0,
  };
  for (;;) {
    const [row] = await upsertWorker.run(connections.relaxed, args);
    if (row !== undefined) return { now: row.now, pause: personPause(row) };
    const [other] = await readHostname.run(connections.durable, { worker: heartbeat.worker });
    if (other !== undefined) return { inUseBy: other.hostname };
  }
}
