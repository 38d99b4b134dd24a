import type { Terminal } from '@macbatch/terminal';
import { checkDuplicates, compareCounts } from './check-counts.ts';
import { killMidTask } from './kill-mid-task.ts';
import { HOURS } from './plan.ts';
import { type ProtocolOptions, ProtocolRun } from './protocol-run.ts';
import type { ProtocolReport } from './report.ts';
import { reportTwice } from './report-twice.ts';
import { restartWiped } from './restart-wiped.ts';
import { seedLedger } from './seed-ledger.ts';

/** Runs the 48-hour protocol and returns its report. Runs all steps, even after one has failed. */
export async function runProtocol(options: ProtocolOptions, terminal: Terminal): Promise<ProtocolReport> {
  const protocol = new ProtocolRun(options, terminal);
  try {
    return await runSteps(protocol);
  } finally {
    await protocol.stopWorkers();
  }
}

async function runSteps(protocol: ProtocolRun): Promise<ProtocolReport> {
  const { options, workers, steps, kills, startedAt } = protocol;
  const count = await seedLedger(protocol);
  await startWorkers(protocol);
  await protocol.waitForHour(HOURS.kill);
  await killMidTask(protocol);
  await reportTwice(protocol);
  await protocol.waitForHour(HOURS.restart);
  await restartWiped(protocol);
  await protocol.waitForHour(HOURS.duplicates);
  await checkDuplicates(protocol, HOURS.duplicates);
  await protocol.waitForHour(HOURS.end);
  const job = await compareCounts(protocol, count);
  const duplicates = await checkDuplicates(protocol, HOURS.end);
  const { boots } = await options.client.call('listBoots', { query: { limit: '1000' } });
  return {
    startedAt: startedAt.toISOString(),
    controlPlane: options.client.baseUrl,
    secondsPerHour: options.secondsPerHour,
    jobId: protocol.jobId,
    externalCount: count,
    boots: workers.flatMap((worker) =>
      worker.boots().map(({ bootId, recordFound }) => ({
        worker: worker.name,
        bootId,
        recordFound,
        verdict: boots.find((boot) => boot.boot_id === bootId)?.verdict ?? null,
      })),
    ),
    kills,
    duplicates,
    done: job.items.ok,
    failed: job.items.error + job.items.failed,
    leaseExpiredEvents: job.lease_expired_events,
    steps,
    verdict: steps.every((step) => step.held) ? 'passed' : 'failed',
  };
}

async function startWorkers(protocol: ProtocolRun): Promise<void> {
  for (const worker of protocol.workers) worker.start();
  const booted = await protocol.waitFor(
    async () => protocol.workers.every((worker) => worker.boots().length === 1),
    protocol.patienceSeconds,
  );
  const counts = protocol.workers.map((worker) => `${worker.name}: ${worker.boots().length}`).join(', ');
  protocol.record(0, 'start the workers with the probe', 'one boot line each', booted, counts);
}
