export { Agent } from './agent.ts';
export type { AgentOptions, AgentState } from './agent-options.ts';
export { sleep } from './backoff.ts';
export { openRuntimes, type RuntimesConfig } from './runtimes/open-runtimes.ts';
export type { EndpointConfig } from './runtimes/openai-endpoint.ts';
export { USE_LITE } from './runtimes/use-lite.ts';
