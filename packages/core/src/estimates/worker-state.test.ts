import { describe, expect, it } from 'vitest';
import { heldWork, openJob, poolWorker } from '../testing/pool.ts';
import type { OpenJob, PoolWorker } from './pool-state.ts';
import { type WorkerState, workerState } from './worker-state.ts';

const DOWN = {
  jobType: 'noop',
  model: 'noop',
  endpoint: 'here',
  code: 'server_unreachable',
  message: 'refused',
  sinceSeconds: 3,
  nextTrySeconds: 2,
};

describe('workerState', () => {
  it.each<[WorkerState, Partial<PoolWorker>, OpenJob[]]>([
    ['offline', { offline: true, alive: false }, [openJob('j')]],
    ['silent', { alive: false, held: [heldWork('j')] }, [openJob('j')]],
    ['working', { held: [heldWork('j')] }, [openJob('j')]],
    ['working', { held: [heldWork('j')], models: [] }, []],
    ['working', { copies: [heldWork('j')] }, [openJob('j', { pendingTasks: 0 })]],
    ['nothing_offered', { models: [] }, [openJob('j')]],
    ['nothing_offered', { jobTypes: [] }, []],
    ['nothing_offered', { held: [heldWork('j')], troubles: [DOWN] }, [openJob('j')]],
    ['working', { held: [heldWork('j')], troubles: [{ ...DOWN, model: 'x' }] }, [openJob('j')]],
    ['no_open_job', {}, []],
    ['no_job_for_its_models', {}, [openJob('j', { model: 'x' }), openJob('k', { jobType: 'chat' })]],
    ['everything_leased', {}, [openJob('j', { pendingTasks: 0 }), openJob('k', { model: 'x' })]],
    ['work_waits', {}, [openJob('j', { pendingTasks: 0 }), openJob('k')]],
  ])('returns %s', (state, worker, jobs) => {
    expect(workerState(poolWorker('a', worker), jobs)).toBe(state);
  });
});
