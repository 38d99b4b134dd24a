import type { ConnectionPools } from '@macbatch/connection';
import { BOOT_VERDICTS, type BootVerdict, bootVerdict } from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import { addBoot, type BootRow, listBoots, nameKnown } from './boot-statements.ts';

/** A program that has started. */
export interface Boot {
  readonly role: 'worker' | 'control';
  readonly name: string;
  readonly bootId: string;
  readonly pid: number;
  readonly hostname: string;
  /** ISO 8601, by the program's own clock. */
  readonly startedAt: string;
  readonly cwd: string;
  readonly tmpWritable: boolean;
  /** The boot that the record on its own disk told of. */
  readonly previousBootId: string | null;
}

export interface KnownBoot extends Omit<Boot, 'role' | 'startedAt'> {
  readonly role: string;
  readonly startedAt: Date;
  readonly verdict: BootVerdict;
  readonly reportedAt: Date;
}

type AddArguments = {
  role: string;
  name: string;
  boot: string;
  pid: number;
  hostname: string;
  startedAt: string;
  cwd: string;
  tmpWritable: number;
  previous: string | null;
  verdict: string;
};

/** B4: every boot of every program. */
export class Boots {
  readonly #connections: ConnectionPools;
  readonly #known: Statement<{ role: string; name: string; boot: string }, { known: boolean }>;
  readonly #add: Statement<AddArguments, { verdict: string }>;
  readonly #list: Statement<{ name: string | null; limit: number }, BootRow>;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#known = statement(nameKnown);
    this.#add = statement(addBoot);
    this.#list = statement(listBoots);
  }

  /** Keeps a boot and answers what was known of the name before. */
  async add(boot: Boot): Promise<BootVerdict> {
    const { role, name, bootId } = boot;
    const [found] = await this.#known.run(this.#connections.durable, { role, name, boot: bootId });
    const verdict = bootVerdict({
      nameKnown: found?.known ?? false,
      recordFound: boot.previousBootId !== null,
    });
    const [kept] = await this.#add.run(this.#connections.durable, {
      role,
      name,
      boot: bootId,
      pid: boot.pid,
      hostname: boot.hostname,
      startedAt: boot.startedAt,
      cwd: boot.cwd,
      tmpWritable: boot.tmpWritable ? 1 : 0,
      previous: boot.previousBootId,
      verdict,
    });
    return verdictOf(kept?.verdict ?? verdict);
  }

  /** Newest first. */
  async list(page: { readonly name: string | null; readonly limit: number }): Promise<KnownBoot[]> {
    const rows = await this.#list.run(this.#connections.durable, page);
    return rows.map((row) => ({
      role: row.role,
      name: row.name,
      bootId: row.boot_id,
      pid: row.pid,
      hostname: row.hostname,
      startedAt: row.started_at,
      cwd: row.cwd,
      tmpWritable: row.tmp_writable,
      previousBootId: row.previous_boot_id,
      verdict: verdictOf(row.verdict),
      reportedAt: row.at,
    }));
  }
}

function verdictOf(text: string): BootVerdict {
  const verdict = BOOT_VERDICTS.find((known) => known === text);
  if (verdict === undefined)
    throw new TypeError(`a boot holds the verdict ${text}, which this version does not know`);
  return verdict;
}
