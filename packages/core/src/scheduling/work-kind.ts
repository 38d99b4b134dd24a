/** What has to be there for a job to run: a type and the alias of a model. */
export interface WorkKind {
  readonly jobType: string;
  readonly model: string;
}

/** What a worker says it can do. */
export interface WorkerOffers {
  readonly jobTypes: readonly string[];
  readonly models: readonly string[];
}

export function offersWork(advert: WorkerOffers, { jobType, model }: WorkKind): boolean {
  return advert.jobTypes.includes(jobType) && advert.models.includes(model);
}

/** A work kind as the key of a map. */
export function workKindKey({ jobType, model }: WorkKind): string {
  return JSON.stringify([jobType, model]);
}

export function isSameWorkKind(a: WorkKind, b: WorkKind): boolean {
  return a.jobType === b.jobType && a.model === b.model;
}
