export { Agent } from './agent.ts';
export type { AgentOptions, AgentState } from './agent-options.ts';
export { sleep } from './backoff.ts';
export { type Membership, readMembership, writeMembership } from './membership.ts';
export { Outbox } from './outbox/outbox.ts';
export { purgeOutbox, workerFolder } from './outbox/worker-folder.ts';
export { openRuntimes, type RuntimesConfig } from './runtimes/open-runtimes.ts';
export type { EndpointConfig } from './runtimes/openai-endpoint.ts';
export { USE_LITE } from './runtimes/use-lite.ts';
