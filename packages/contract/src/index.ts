export { ACCESS, type Access } from './access.ts';
export { DatabaseView, PruneReply, PruneRequest } from './admin.ts';
export { AnthropicError } from './anthropic/anthropic-error.ts';
export {
  CreateMessageBatch,
  MessageBatchDeleted,
  MessageBatchList,
  MessageBatchListQuery,
  MessageBatchObject,
} from './anthropic/message-batch.ts';
export { anthropicRoutes } from './anthropic/routes.ts';
export {
  API_VERSION,
  API_VERSION_HEADER,
  apiVersionOf,
  type Compatibility,
  compatibility,
} from './api-version.ts';
export { EVENT_KINDS, EventPage, PoolEvent } from './event.ts';
export { JobEstimate, JobExplanation } from './explanation.ts';
export { ItemView, ListedItem, MAX_LISTED_MESSAGE } from './item.ts';
export {
  JobHeader,
  JobSummary,
  JobType,
  JobView,
  MAX_JOB_NAME_LENGTH,
  MAX_LEDGER_KEYS,
  MAX_MODEL_DIGEST_LENGTH,
  MAX_MODEL_NAME_LENGTH,
  MAX_PRIORITY,
  ModelUsed,
  ResultLine,
  RetryReply,
  Submission,
  WorkType,
} from './job.ts';
export { JOB_SORTS, type JobListEntry, JobListQuery, JobPage } from './job-list.ts';
export {
  Caller,
  CreateKeyReply,
  CreateKeyRequest,
  JoinReply,
  JoinRequest,
  JoinTokenReply,
  JoinTokenRequest,
  KeyList,
  KeyView,
} from './key.ts';
export { type Line, LineProblem, ndjsonBatches, ndjsonLines } from './ndjson-lines.ts';
export { BatchList, BatchListQuery, BatchObject, CreateBatch } from './openai/batch.ts';
export {
  FileDeleted,
  FileList,
  FileListQuery,
  FileObject,
  FileUploadFields,
} from './openai/file.ts';
export { ModelList, ModelObject } from './openai/model.ts';
export { OpenAiError } from './openai/openai-error.ts';
export { openAiRoutes } from './openai/routes.ts';
export { openApiDocument } from './openapi.ts';
export { parseReadable, type UnreadableEntry } from './parse-readable.ts';
export type { Pause } from './pause.ts';
export { PROBLEMS, Problem, type ProblemCode } from './problem.ts';
export {
  type RouteArguments,
  type RouteInput,
  type RouteName,
  type RouteReply,
  type RouteSchemas,
  schemasOf,
} from './route-shape.ts';
export { routes } from './routes.ts';
export {
  ENTRY_REFUSALS,
  EntryReply,
  ItemError,
  LeasedTask,
  LeaseName,
  LeaseReply,
  LeaseRequest,
  MAX_ERROR_BODY_LENGTH,
  Outcome,
  type ReleasedLease,
  ReleaseReply,
  ReportEntry,
  ReportEnvelope,
  ReportedError,
  ReportReply,
  ReportRequest,
} from './task.ts';
export { THROUGHPUT_KEYS, Throughput } from './throughput.ts';
export { wideEncoding } from './wide-encoding.ts';
export {
  Boot,
  BootList,
  BootReply,
  BootReport,
  BootView,
  HEARTBEAT_ENTRIES,
  Heartbeat,
  HeartbeatReply,
  ReclaimReply,
  type TroubleView,
  WorkerList,
  WorkerView,
} from './worker.ts';
