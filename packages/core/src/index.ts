export { BOOT_VERDICTS, type BootVerdict, bootVerdict } from './workers/boot-verdict.ts';
export {
  type Allowance,
  allowance,
  type ItemRecord,
  isDoubtful,
  NO_RECORD,
  withOutcomes,
} from './scheduling/probation.ts';
export { type CopyPlan, type CopyWorker, copyPlans, type Holder, REPORT_SECONDS } from './scheduling/copy-plans.ts';
export { type Decision, decide, refusal } from './lifecycle/decide.ts';
export { REFUSALS, type Refusal, type TaskEvent, type TaskEventType } from './lifecycle/event.ts';
export { type Item, type ParsedItem, parseItem } from './items/item.ts';
export { itemIdProblem, MAX_ITEM_ID_LENGTH } from './items/item-id.ts';
export { itemKey, type KeyedJob, keyTexts } from './items/item-key.ts';
export { FORECAST_GAPS, type ForecastGap, forecastJob, type JobForecast } from './estimates/job-estimate.ts';
export { inJobOrder, type JobOrder, type WaitingJob } from './scheduling/job-order.ts';
export { JOB_STATES, type JobState, jobState } from './lifecycle/job-state.ts';
export { JOB_TYPES, type JobType } from './items/job-type.ts';
export { JOB_WAITS, type JobWait, type JobWaitCode, jobWait } from './estimates/job-wait.ts';
export { arrayElements, objectMembers, type Slice } from './items/json-slice.ts';
export { KEY_ROLES, type KeyRole } from './workers/key-role.ts';
export { leaseSize, type PoolPace, plentyFor, shareOfSpeed } from './scheduling/lease-size.ts';
export {
  HEARTBEAT_ALIVE_SECONDS,
  LEASE_SECONDS,
  MAX_ATTEMPTS,
  MAX_EXPIRIES,
  MAX_EXPIRIES_COPIED,
} from './lifecycle/lease-terms.ts';
export { isAlive } from './workers/liveness.ts';
export { type MeasuredPace, measuredPace, RECENT_SECONDS, type RecentItems } from './estimates/measured-rate.ts';
export { byModelAffinity, type ModelFit } from './scheduling/model-affinity.ts';
export { type Advert, offersWork, type WorkKind } from './scheduling/work-kind.ts';
export type { HeldWork, OpenJob, PoolState, PoolWorker } from './estimates/pool-state.ts';
export type { Condition, EventField, Operand, Rule } from './lifecycle/rule.ts';
export { EXPIRED_TOO_OFTEN, RULES } from './lifecycle/rules.ts';
export { DEFAULT_SHARD_SIZE, MAX_SHARD_SIZE, taskCount } from './items/shard.ts';
export { newTask, RETRY_POLICIES, type RetryOn, TASK_STATUSES, type Task, type TaskStatus } from './lifecycle/task.ts';
export { kindsOf, WORKER_STATES, type WorkerState, workerState } from './estimates/worker-state.ts';
