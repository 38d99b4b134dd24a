import { expect, it } from 'vitest';
import { COLUMNS, comparison } from './comparison.ts';
import type { Measured } from './measured.ts';

/** A run that reaches every goal: all of it kept, in just the ideal time. */
const RUN: Measured = {
  scenario: 'twomodels',
  rules: 'product',
  seed: 1,
  factor: 30,
  makespan: 1000,
  cutOff: false,
  ideal: 1000,
  requests: { lease: 10 },
  executed: 500,
  accepted: 500,
  loads: [],
  crashes: 0,
  badItemRuns: [],
  logged: {},
  items: 100,
  goodItemsFailed: 0,
  share: 1,
  leasesGranted: 10,
  leasesExpired: 0,
  jobs: [],
  noticedAfter: null,
  idle: 0,
  lateness: { median: 0, p99: 0 },
  roundTrip: { median: 0, p99: 0 },
};
const loads = (count: number) => Array.from({ length: count }, () => ({ worker: 'm', model: 'a', at: 0 }));
const small = (seconds: number) => [
  { seconds: 1000, alone: 1000 },
  { seconds, alone: 10 },
];

it.each<[string, Partial<Measured>]>([
  ['yes', {}],
  ['yes', { loads: loads(12) }],
  ['MISSED: loads', { loads: loads(13) }],
  ['yes', { scenario: 'homo8', loads: loads(13) }],
  ['yes', { scenario: 'twojobs', jobs: small(50) }],
  ['MISSED: small job', { scenario: 'twojobs', jobs: small(51) }],
  ['MISSED: ratio', { makespan: 1081 }],
  ['MISSED: ratio', { cutOff: true }],
  ['MISSED: waste', { executed: 503 }],
  ['MISSED: items', { goodItemsFailed: 1 }],
  ['MISSED: requests', { requests: { lease: 20, heartbeat: 6 } }],
  ['MISSED: ratio, loads', { makespan: 1081, loads: loads(13) }],
  ['', { rules: 'base', makespan: 9000 }],
])('comparison: judges as "%s" a run with %j', (reached, change) => {
  const [row] = comparison([{ ...RUN, ...change }]);
  expect(row?.[COLUMNS.indexOf('reached')]).toBe(reached);
});
