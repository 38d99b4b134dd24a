export { BOOT_VERDICTS, type BootVerdict, bootVerdict } from './boot-verdict.ts';
export {
  type Allowance,
  allowance,
  type ItemRecord,
  isDoubtful,
  NO_RECORD,
  withOutcomes,
} from './conduct.ts';
export { type CopyPlan, type CopyWorker, copyPlans, type Holder, REPORT_SECONDS } from './copy-plan.ts';
export { type Decision, decide, refusal } from './decide.ts';
export { REFUSALS, type Refusal, type TaskEvent, type TaskEventType } from './event.ts';
export { type Item, type ParsedItem, parseItem } from './item.ts';
export { itemIdProblem, MAX_ITEM_ID_LENGTH } from './item-id.ts';
export { itemKey, type KeyedJob, keyTexts } from './item-key.ts';
export { FORECAST_GAPS, type ForecastGap, forecastJob, type JobForecast } from './job-forecast.ts';
export { inJobOrder, type JobOrder, type WaitingJob } from './job-order.ts';
export { JOB_STATES, type JobState, jobState } from './job-state.ts';
export { JOB_TYPES, type JobType } from './job-type.ts';
export { JOB_WAITS, type JobWait, type JobWaitCode, jobWait } from './job-wait.ts';
export { arrayElements, objectMembers, type Slice } from './json-slice.ts';
export { KEY_ROLES, type KeyRole } from './key-role.ts';
export { leaseSize, type PoolPace, plentyFor, shareOfSpeed } from './lease-size.ts';
export {
  HEARTBEAT_ALIVE_SECONDS,
  LEASE_SECONDS,
  MAX_ATTEMPTS,
  MAX_EXPIRIES,
  MAX_EXPIRIES_COPIED,
} from './lease-terms.ts';
export { isAlive } from './liveness.ts';
export { type MeasuredPace, measuredPace, RECENT_SECONDS, type RecentItems } from './measured-pace.ts';
export { byModelAffinity, type ModelFit } from './model-affinity.ts';
export { type Advert, offersWork, type WorkKind } from './offers-work.ts';
export type { HeldWork, OpenJob, PoolState, PoolWorker } from './pool-state.ts';
export type { Condition, EventField, Operand, Rule } from './rule.ts';
export { EXPIRED_TOO_OFTEN, RULES } from './rules.ts';
export { DEFAULT_SHARD_SIZE, MAX_SHARD_SIZE, taskCount } from './shard.ts';
export { newTask, RETRY_POLICIES, type RetryOn, TASK_STATUSES, type Task, type TaskStatus } from './task.ts';
export { kindsOf, WORKER_STATES, type WorkerState, workerState } from './worker-state.ts';
