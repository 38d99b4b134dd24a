import { randomUUID } from 'node:crypto';
import { Agent, type AgentOptions, type Runtime, sleep, workerFolder } from '@macbatch/agent';
import { Client } from '@macbatch/client';
import type { Mac } from './mac.ts';
import type { Machine } from './machine.ts';
import { type RoundTrips, wire } from './wire.ts';

// The defaults of apps/worker.
const GRACE_MS = 10_000;
const HEARTBEAT_MS = 30_000;

export interface ProductMachineOptions {
  readonly workerId: string;
  readonly controlUrl: string;
  /** Folder of the worker's state. Outlives the worker's processes. */
  readonly stateDir: string;
  readonly mac: Mac;
  readonly runtime: Runtime;
  readonly roundTrips: RoundTrips;
  readonly log: AgentOptions['log'];
}

/** Creates a Mac with the real worker: agent, outbox and boots, wired as in apps/worker. */
export function productMachine(options: ProductMachineOptions): Machine {
  const { workerId, controlUrl, stateDir, mac, runtime, roundTrips, log } = options;
  let kill: (() => Promise<void>) | null = null;
  return {
    async on() {
      const bootId = randomUUID();
      const folder = await workerFolder(stateDir, workerId, bootId);
      const connection = wire(roundTrips);
      const drain = new AbortController();
      const forceQuit = new AbortController();
      const agent = new Agent({
        client: new Client({ baseUrl: controlUrl, fetch: connection.fetch }),
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
      const running = agent.run(drain.signal, forceQuit.signal);
      kill = async () => {
        // Cuts the connection first: requests of the agent's drain must not reach the control plane.
        connection.cut();
        forceQuit.abort();
        drain.abort();
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
