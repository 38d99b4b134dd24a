export { ConnectionConfig } from './connection-config.ts';
export { ControlConfig } from './control-config.ts';
export { readHeaderLines } from './header-lines.ts';
export { nameOfHost } from './program-name.ts';
export { proxiesOf } from './proxy-config.ts';
export { ConfigError, readConfig } from './read-config.ts';
export { pickVariables, variablesOf, withoutEmptyVariables } from './variables.ts';
export { WorkerConfig } from './worker-config.ts';
