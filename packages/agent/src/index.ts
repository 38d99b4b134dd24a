export { Agent } from './agent/agent.ts';
export type { AgentOptions } from './agent/agent-options.ts';
export { sleep } from './loops/backoff.ts';
export { steadyClock } from './loops/steady-clock.ts';
export { Outbox } from './outbox/outbox.ts';
export type { DiscoveryConfig } from './runtimes/discovery/discovered-endpoint.ts';
export { type ListedServer, listServers } from './runtimes/discovery/list-servers.ts';
export type { EndpointConfig } from './runtimes/endpoint/openai-endpoint.ts';
export { openRuntimes, type RuntimesConfig } from './runtimes/open-runtimes.ts';
export { RunFailure, type Runtime } from './runtimes/runtime.ts';
export { USE_LITE } from './runtimes/use-lite/use-lite.ts';
export {
  joinedWorkers,
  type Membership,
  readMembership,
  writeMembership,
} from './worker-folder/membership.ts';
export { type ModelsStatus, readModelsStatus } from './worker-folder/models-status.ts';
export {
  purgeOutbox,
  removeWorkerFolder,
  unsentOutcomes,
  workerFolder,
} from './worker-folder/worker-folder.ts';
