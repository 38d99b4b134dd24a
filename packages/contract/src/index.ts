export {
  JobHeader,
  JobPage,
  JobSummary,
  JobView,
  ModelUsed,
  ResultLine,
  RetryReply,
  Submission,
} from './job.ts';
export { PROBLEMS, Problem, type ProblemCode } from './problem.ts';
export { routes } from './routes.ts';
export {
  ENTRY_REFUSALS,
  EntryReply,
  LeasedTask,
  LeaseName,
  LeaseReply,
  LeaseRequest,
  Outcome,
  ReleaseReply,
  ReportEntry,
  ReportEnvelope,
  ReportedError,
  ReportReply,
  ReportRequest,
} from './task.ts';
export { Heartbeat, HeartbeatReply, ReclaimReply, WorkerList, WorkerView } from './worker.ts';
