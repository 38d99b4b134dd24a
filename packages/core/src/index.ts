export { BatchCheck, type BatchInputError, type BatchTerms } from './batches/batch-check.ts';
export { parseBatchLine } from './batches/batch-line.ts';
export { type BatchEnd, batchOutputLine } from './batches/batch-output.ts';
export {
  BATCH_STATES,
  type BatchEvent,
  type BatchState,
  batchTransitions,
  ENDED_BATCH_STATES,
} from './batches/batch-state.ts';
export { type BatchUsage, BatchUsageSum } from './batches/batch-usage.ts';
export { MessageBatchCheck } from './batches/message-batch-check.ts';
export { parseMessageRequest } from './batches/message-request.ts';
export { anthropicErrorType, messageResultLine } from './batches/message-result.ts';
export {
  estimateJob,
  type JobEstimateRange,
  NO_ESTIMATE_REASONS,
  type NoEstimateReason,
} from './estimates/job-estimate.ts';
export { JOB_WAITS, type JobWait, type JobWaitCode, jobWait } from './estimates/job-wait.ts';
export {
  type MeasuredRate,
  measuredRate,
  RATE_WINDOW_SECONDS,
  type RecentItems,
} from './estimates/measured-rate.ts';
export type { HeldWork, OpenJob, PoolState, PoolWorker } from './estimates/pool-state.ts';
export { WORKER_STATES, type WorkerState, workerState } from './estimates/worker-state.ts';
export { classifyLabels, type Label } from './items/classify-labels.ts';
export { ElementProblem, ElementSplitter } from './items/element-splitter.ts';
export {
  type FailureGroup,
  FailureGroups,
  failureGroupId,
  failurePattern,
  type ItemFailure,
  readItemFailure,
} from './items/failure-groups.ts';
export { type Item, type ParsedItem, parseItem } from './items/item.ts';
export { itemIdProblem, MAX_ITEM_ID_LENGTH } from './items/item-id.ts';
export { itemKey, type KeyedJob, keyTexts } from './items/item-key.ts';
export { ITEM_STATES, type ItemState } from './items/item-state.ts';
export { JOB_TYPES, type JobType } from './items/job-type.ts';
export { jsonProblem } from './items/json-problem.ts';
export { arrayElements, objectMembers, type Slice } from './items/json-slice.ts';
export { mixesBuilds } from './items/mixes-builds.ts';
export { paramProblem, TEMPLATE_PLACEHOLDER } from './items/param-problem.ts';
export { type RequestBodyProblem, requestBodyProblem, withModel } from './items/request-body.ts';
export {
  DEFAULT_SHARD_SIZE,
  MAX_LEASE_BYTES,
  MAX_SHARD_SIZE,
  MAX_TASK_BYTES,
  taskCount,
} from './items/shard.ts';
export {
  endpointOf,
  jobTypeOf,
  REQUEST_ENDPOINTS,
  type RequestEndpoint,
  requestEndpoint,
  WORK_TYPES,
  type WorkType,
  workTypeOf,
} from './items/work-type.ts';
export { type Decision, decide, refusal } from './lifecycle/decide.ts';
export { REFUSALS, type Refusal, type TaskEvent, type TaskEventType } from './lifecycle/event.ts';
export { JOB_STATES, type JobState, jobState } from './lifecycle/job-state.ts';
export {
  HEARTBEAT_ALIVE_SECONDS,
  LEASE_SECONDS,
  MAX_ATTEMPTS,
  MAX_EXPIRIES,
  MAX_EXPIRIES_FOR_COPIES,
  RENEWED_LEASE_SECONDS,
} from './lifecycle/lease-terms.ts';
export type { Condition, EventField, Operand, Rule } from './lifecycle/rule.ts';
export { EXPIRED_TOO_OFTEN, RULES } from './lifecycle/rules.ts';
export {
  newTask,
  RETRY_POLICIES,
  type RetryOn,
  TASK_STATUSES,
  type Task,
  type TaskStatus,
} from './lifecycle/task.ts';
export { messageOf } from './message-of.ts';
export {
  type CopyPlan,
  type CopyWorker,
  type Holder,
  planCopies,
  REPORT_SECONDS,
} from './scheduling/copy-plans.ts';
export { type JobOrder, orderJobs, type WaitingJob } from './scheduling/job-order.ts';
export {
  DEFAULT_LEASE_LIMIT,
  ERRORS_UNTIL_REVIEW,
  EVIDENCE_WAIT_SECONDS,
  EXCLUDED_FROM_COPIES_SECONDS,
  HOLDERS_TRIED_FOR_COPIES,
  JOBS_SIZED_ONE_BY_ONE,
  LEFT_TO_OTHERS_SECONDS,
  MAX_JOBS_PER_CLAIM,
  MAX_SLEEP_SECONDS,
  MAX_TASKS_COPIED,
  MAX_TASKS_HELD,
  MAX_UNACKNOWLEDGED_TASKS,
  REJECTED_LEFT_TO_OTHERS_SECONDS,
  SCHEDULING_CACHE_MS,
} from './scheduling/lease-policy.ts';
export { leaseSize, maxHeldItems, type PoolRate, shareOfPoolRate } from './scheduling/lease-size.ts';
export { type ModelFit, orderByModelAffinity } from './scheduling/model-affinity.ts';
export {
  hasManyErrors,
  type LeaseBudget,
  leaseBudget,
  NO_OUTCOMES,
  type OutcomeHistory,
  withOutcomes,
} from './scheduling/probation.ts';
export {
  distinctWorkKinds,
  isSameWorkKind,
  offersWork,
  type WorkerOffers,
  type WorkKind,
  workKindKey,
} from './scheduling/work-kind.ts';
export { BOOT_VERDICTS, type BootVerdict, bootVerdict } from './workers/boot-verdict.ts';
export { KEY_ROLES, type KeyRole } from './workers/key-role.ts';
export { isAlive, MAY_LEAVE_SECONDS, SILENT_SECONDS } from './workers/liveness.ts';
export { isLocalNetworkHost } from './workers/local-network.ts';
export { findSecretText, hideSecrets, parseSecretText, type SecretKind } from './workers/secret-text.ts';
export {
  isInTrouble,
  LASTING_TROUBLES,
  needsAttention,
  type WorkerTrouble,
} from './workers/worker-trouble.ts';
