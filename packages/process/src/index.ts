export { type BootProbe, type BootProbeOptions, type BootRecord, probeBoot } from './boot-probe.ts';
export { ConfigError, readConfig } from './config.ts';
export { createLog, type Log } from './log.ts';
export { aborted, type HostProcess, shutdownSignals } from './shutdown.ts';
