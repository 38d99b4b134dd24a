export { Caffeinate, keepsAwake } from './keep-awake/keep-awake.ts';
export { readMachine } from './readings/read-machine.ts';
export type { Readings } from './readings/readings.ts';
export type { LocalTime } from './rules/broken-rule.ts';
export { parseDays, parseHours } from './rules/day-span.ts';
export type { RulePause } from './rules/rule-pause.ts';
export { type RuleName, type Rules, WEEKDAYS, wantedReadings } from './rules/rules.ts';
export { type PauseHere, readPause, removePause, writePause } from './watch/pause-file.ts';
export { watchRules } from './watch/rule-watch.ts';
