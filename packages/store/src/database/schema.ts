export { copies } from './tables/copies.ts';
export { events } from './tables/events.ts';
export { items } from './tables/items.ts';
export { jobs } from './tables/jobs.ts';
export { joinTokens, keys } from './tables/keys.ts';
export { jobModels, ledger, models, results } from './tables/results.ts';
export { jobTallies, prunedTallies } from './tables/tallies.ts';
export { leases, tasks } from './tables/tasks.ts';
export { boots, deployment, workers } from './tables/workers.ts';
