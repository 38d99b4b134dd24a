import type { ManagerKind } from './service-paths.ts';
import type { ServiceState } from './service-state.ts';

/** What an installation changed outside the definition. */
export interface Installed {
  /** Services of this user run without a login now, and did not before. */
  readonly enabledLinger: boolean;
  /** What a person has to do so that everything works; null if nothing. */
  readonly note: string | null;
}

/** Controls the service of the worker. Each call throws a `Failure` that says what to do. */
export interface ServiceManager {
  readonly kind: ManagerKind;
  /** Writes the definition, and starts the service with it. Stops an earlier one first. */
  install(definition: string, text: string): Promise<Installed>;
  /** Stops the service, and deletes its definition. Does nothing if there is none. */
  uninstall(definition: string, installed: Pick<Installed, 'enabledLinger'>): Promise<void>;
  start(definition: string): Promise<void>;
  /** Stops the service until it is started, or until the next login. */
  stop(): Promise<void>;
  restart(definition: string): Promise<void>;
  state(): Promise<ServiceState>;
}
