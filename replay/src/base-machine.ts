import { randomUUID } from 'node:crypto';
import { RunFailure, type Runtime, sleep } from '@macbatch/agent';
import { Client } from '@macbatch/client';
import { BaseWorker } from './base-worker.ts';
import type { Mac } from './mac.ts';
import type { Machine } from './machine.ts';
import { type RoundTrips, wire } from './wire.ts';

/** A service manager restarts a crashed worker after this time. */
const RESTART_MS = 60_000;

export interface BaseMachineOptions {
  readonly workerId: string;
  readonly controlUrl: string;
  readonly mac: Mac;
  readonly runtime: Runtime;
  readonly roundTrips: RoundTrips;
}

/** Creates a Mac whose worker runs the model in its own process, so that a crash of the model ends the worker. */
export function baseMachine(options: BaseMachineOptions): Machine {
  const { workerId, controlUrl, mac, runtime, roundTrips } = options;
  let kill: (() => Promise<void>) | null = null;

  async function keepAlive(off: AbortSignal): Promise<void> {
    while (!off.aborted) {
      const connection = wire(roundTrips);
      const died = new AbortController();
      const ended = AbortSignal.any([off, died.signal]);
      ended.addEventListener('abort', () => connection.cut(), { once: true });
      const worker = new BaseWorker({
        client: new Client({ baseUrl: controlUrl, fetch: connection.fetch }),
        workerId,
        bootId: randomUUID(),
        runtime,
        slots: mac.options.slots,
        onCrash: () => died.abort(new RunFailure('crashed', 'runtime_crashed', 'the worker has crashed')),
      });
      await worker.run(ended);
      mac.powerOff();
      await sleep(RESTART_MS, off).catch(() => undefined);
    }
  }

  return {
    async on() {
      const off = new AbortController();
      const running = keepAlive(off.signal);
      kill = () => {
        off.abort(new Error('this Mac is off'));
        return running;
      };
    },
    async off() {
      const ending = kill?.();
      kill = null;
      await ending;
    },
  };
}
