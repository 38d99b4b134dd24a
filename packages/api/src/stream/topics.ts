/** What a stream is about. */
export interface Topics {
  readonly jobs: boolean;
  readonly workers: boolean;
  readonly events: boolean;
  readonly jobIds: readonly string[];
}

/** Reads the topics of a request, which were validated. */
export function toTopics(names: readonly string[]): Topics {
  return {
    jobs: names.includes('jobs'),
    workers: names.includes('workers'),
    events: names.includes('events'),
    jobIds: names.filter((name) => name.startsWith('job:')).map((name) => name.slice(4).toLowerCase()),
  };
}
