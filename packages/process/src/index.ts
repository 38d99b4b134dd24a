export { awakeClock } from './awake-clock.ts';
export { type BootProbe, type BootProbeOptions, type BootRecord, probeBoot } from './boot-probe.ts';
export { configPath, readConfigFile } from './config-file.ts';
export { checkControlUrl, keyOf, refusePlainHttp, trustCertificates } from './control-connection.ts';
export { createLog, type Log, standardOutput } from './log.ts';
export { isLoopback } from './loopback.ts';
export { openRollingFile, rolledFiles } from './rolling-file.ts';
export { aborted, type HostProcess, shutdownSignals } from './shutdown.ts';
export { limitYoungGeneration } from './young-generation.ts';
