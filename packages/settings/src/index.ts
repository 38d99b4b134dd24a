export { ConnectionConfig } from './connection-config.ts';
export { ControlConfig } from './control-config.ts';
export { nameOfHost } from './program-name.ts';
export { ConfigError, readConfig } from './read-config.ts';
export { pickVariables, variablesOf, withoutEmptyVariables } from './variables.ts';
export { WorkerConfig } from './worker-config.ts';
