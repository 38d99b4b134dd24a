/** What a job needs to run: a work type and a model alias. */
export interface WorkKind {
  /** A `WorkType`: for raw requests, it names the endpoint too. */
  readonly jobType: string;
  readonly model: string;
}

/** What a worker offers. It can run every work type with every model of the lists. */
export interface WorkerOffers {
  readonly jobTypes: readonly string[];
  readonly models: readonly string[];
}

/** Whether a worker can run a kind of work. */
export function offersWork(offers: WorkerOffers, { jobType, model }: WorkKind): boolean {
  return offers.jobTypes.includes(jobType) && offers.models.includes(model);
}

export function isSameWorkKind(a: WorkKind, b: WorkKind): boolean {
  return a.jobType === b.jobType && a.model === b.model;
}

/** Encodes a work kind as a map key. Two kinds have the same key only if they are equal. */
export function workKindKey({ jobType, model }: WorkKind): string {
  return JSON.stringify([jobType, model]);
}

/** The distinct kinds of work that jobs need, in the order of the jobs. */
export function distinctWorkKinds(jobs: readonly WorkKind[]): WorkKind[] {
  return [
    ...new Map(
      jobs.map(({ jobType, model }) => [workKindKey({ jobType, model }), { jobType, model }]),
    ).values(),
  ];
}
