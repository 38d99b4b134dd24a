import { randomUUID } from 'node:crypto';
import { Agent, type AgentOptions, type Runtime, sleep, workerFolder } from '@macbatch/agent';
import { Client } from '@macbatch/client';
import type { Mac } from './mac.ts';
import type { Machine } from './machine.ts';
import { type RoundTrips, wire } from './wire.ts';

/** What apps/worker has as defaults. */
const GRACE_MS = 10_000;
const HEARTBEAT_MS = 30_000;

export interface ProductMachineOptions {
  readonly workerId: string;
  readonly controlUrl: string;
  /** Its disk, which outlives its processes. */
  readonly stateDir: string;
  readonly mac: Mac;
  readonly runtime: Runtime;
  readonly roundTrips: RoundTrips;
  readonly log: AgentOptions['log'];
}

/** A Mac with the product's worker: the agent, its outbox and its boots as apps/worker wires them. */
export function productMachine(options: ProductMachineOptions): Machine {
  const { workerId, controlUrl, stateDir, mac, runtime, roundTrips, log } = options;
  let kill: (() => Promise<void>) | null = null;
  return {
    async on() {
      const bootId = randomUUID();
      const folder = await workerFolder(stateDir, workerId, bootId);
      const line = wire(roundTrips);
      const asked = new AbortController();
      const forceQuit = new AbortController();
      const agent = new Agent({
        client: new Client({ baseUrl: controlUrl, fetch: line.fetch }),
        workerId,
        bootId,
        hostname: workerId,
        boots: folder.boots,
        runtimes: [runtime],
        outbox: folder.outbox,
        concurrency: mac.options.slots,
        leaseLimit: null,
        graceMs: GRACE_MS,
        heartbeatMs: HEARTBEAT_MS,
        log,
        now: () => Date.now(),
        sleep,
        random: Math.random,
      });
      const running = agent.run(asked.signal, forceQuit.signal);
      kill = async () => {
        // First the wire: what the agent does once it is asked to stop must reach nobody.
        line.cut();
        forceQuit.abort();
        asked.abort();
        mac.powerOff();
        await running;
        await folder.close();
      };
    },
    async off() {
      const ending = kill?.();
      kill = null;
      await ending;
    },
  };
}
