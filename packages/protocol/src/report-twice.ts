import { HOURS } from './plan.ts';
import type { ProtocolRun } from './protocol-run.ts';

const WORKER_ID = 'protocol-probe';
const OFFERS = [{ job_type: 'noop' as const, model: 'noop' }];

/** Sends a report twice, as a worker does when it gets no answer, and checks that one outcome is recorded. */
export async function reportTwice(protocol: ProtocolRun): Promise<void> {
  const { client } = protocol;
  const boot = crypto.randomUUID();
  const { tasks } = await client.call('leaseTasks', {
    body: {
      worker_id: WORKER_ID,
      boot_id: boot,
      lease_limit: 1,
      offers: OFFERS,
      renews: true,
      wait_seconds: 30,
    },
  });
  const [task] = tasks;
  const item = task?.items[0];
  if (task === undefined || item === undefined) {
    protocol.record(
      HOURS.kill,
      'send a report twice',
      'it is recorded once',
      false,
      'no task was left to lease',
    );
    return;
  }
  const { task_id, attempt } = task;
  const entry = {
    task_id,
    attempt,
    final: false,
    outcomes: [{ item_id: item.item_id, output: '{"ok":true}' }],
  };
  const okBefore = (await protocol.job()).items.ok;
  for (let n = 0; n < 2; n += 1)
    await client.call('completeBatch', { body: { worker_id: WORKER_ID, entries: [entry] } });
  await client.call('releaseTasks', { body: { worker_id: WORKER_ID, tasks: [{ task_id, attempt }] } });
  const lines: string[] = [];
  for await (const line of client.results(protocol.jobId, { item_id: item.item_id })) lines.push(line);
  const found = `${lines.length} outcome, ${(await protocol.job()).items.ok - okBefore} more in the job`;
  protocol.record(HOURS.kill, 'send a report twice', 'it is recorded once', lines.length === 1, found);
}
