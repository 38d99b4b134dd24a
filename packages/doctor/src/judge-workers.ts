import type { WorkerView } from '@macbatch/contract';
import { troubleHint } from '@macbatch/terminal';
import { type Finding, finding } from './finding.ts';

/** Most troubles that are listed one by one. */
const MAX_LISTED = 10;

/** Checks what the workers that are alive say about their model servers. */
export function judgeWorkers(
  workers: readonly Pick<WorkerView, 'worker_id' | 'alive' | 'troubles'>[],
): Finding[] {
  const troubles = workers
    .filter(({ alive }) => alive)
    .flatMap(({ worker_id, troubles: its }) => {
      // One model server has the same trouble with each of its offers.
      const distinct = its.filter(
        ({ code, message }, index) =>
          its.findIndex((each) => each.code === code && each.message === message) === index,
      );
      return distinct.map((trouble) => ({ worker_id, trouble }));
    });
  if (troubles.length === 0) {
    const alive = workers.filter((worker) => worker.alive).length;
    return [finding('workers', 'ok', `${alive} alive, none has trouble with a model server`)];
  }
  return troubles.slice(0, MAX_LISTED).map(({ worker_id, trouble }) => {
    const since = `for ${Math.floor(trouble.since_seconds)} s`;
    return finding(
      'workers',
      trouble.needs_attention || trouble.code === 'server_unreachable' ? 'fail' : 'warn',
      `${worker_id} cannot run ${trouble.job_type} with ${trouble.model} ${since}: ${trouble.message}`,
      troubleHint(trouble),
    );
  });
}
