export {
  type EffectiveSetting,
  effectiveSettings,
  withFileSettings,
} from './config-file/effective-settings.ts';
export { FILE_SETTINGS, type SectionName } from './config-file/file-settings.ts';
export { type ConfigFile, parseConfigFile } from './config-file/parse-config-file.ts';
export { ConnectionConfig } from './connection-config.ts';
export { ControlConfig } from './control-config.ts';
export { DEFAULT_CONTROL_URL } from './default-url.ts';
export { readHeaderLines } from './header-lines.ts';
export { nameOfHost } from './program-name.ts';
export { proxiesOf } from './proxy-config.ts';
export { ConfigError, readConfig } from './read-config.ts';
export { RulesConfig, rulesOf } from './rules-config.ts';
export { pickVariables, variablesOf, withoutEmptyVariables } from './variables.ts';
export { WorkerConfig } from './worker-config.ts';
