import { z } from 'zod';
import type { ServiceHost } from './service-host.ts';
import type { ManagerKind } from './service-paths.ts';

/** What the worker's program prints about itself. */
export const WorkerDescription = z.object({
  worker_id: z.string(),
  state_folder: z.string(),
  url: z.string(),
  joined: z.boolean(),
  configured: z.boolean(),
  /** Number of outcomes in the outbox. */
  unsent: z.number(),
  /** What the control plane lists about this worker, if it was asked and answered. */
  view: z.unknown().optional(),
  /** Why the control plane did not say anything. */
  problem: z.string().optional(),
});
export type WorkerDescription = z.output<typeof WorkerDescription>;

/** What the actions of the service need from the command line. */
export interface ServiceContext {
  readonly host: ServiceHost;
  readonly kind: ManagerKind;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The real path of the Node that runs now. */
  readonly execPath: string;
  readonly oldestNode: readonly [major: number, minor: number];
  /** The main file of the worker. */
  readonly program: string;
  /** Variables of the worker that are set here and hold no secret. */
  readonly variables: Readonly<Record<string, string>>;
  /** Asks the worker's program to describe itself. `ask`: it also asks the control plane. */
  describe(ask: boolean): Promise<WorkerDescription>;
  /** Has the worker's program delete its key and its outbox. */
  forget(): Promise<void>;
  /** Asks a person; false if there is nobody to ask. */
  confirm(question: string): Promise<boolean>;
  say(line: string): void;
}
