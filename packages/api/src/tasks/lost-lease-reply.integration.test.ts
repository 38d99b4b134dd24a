import { describe, expect, it } from 'vitest';
import { completed, fileApp } from '../testing/file-app.ts';
import { leaseCalls, nameOf } from '../testing/lease-calls.ts';

const control = fileApp();
const { send, report } = control;
const { leased, submit, tasks } = leaseCalls(control);

describe('a lost lease reply', () => {
  const again = (extra: object = {}) => leased({ lease_limit: 2, holds: [], ...extra });

  it('is repeated to the boot that does not name its leases, with their full duration', async () => {
    await submit(4, 1);
    const unacknowledged = await leased({ lease_limit: 2 });
    await control.db.sql`update tasks set lease_until = now() + interval '1 second' where status = 'leased'`;
    expect(await again()).toEqual(unacknowledged);
    const rows = await control.db.sql`
      select attempts, returns, lease_until > now() + interval '80 seconds' as renewed from tasks where status = 'leased'`;
    expect(rows).toMatchObject(unacknowledged.map(() => ({ attempts: 1, returns: 0, renewed: true })));
    // Leases that the worker names are not repeated, so it gets new ones.
    const other = await again({ holds: unacknowledged.map(nameOf) });
    expect(other).toHaveLength(2);
    expect(await again({ holds: [...unacknowledged, ...other].map(nameOf) })).toEqual([]);
  });

  it('omits items with an outcome and leases that have ended', async () => {
    await submit(6, 2);
    const [first, second, third] = await leased({ lease_limit: 3 });
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few');
    await report([
      completed(first),
      { ...completed(second), outcomes: completed(second).outcomes.slice(1), final: false },
    ]);
    await send('POST', '/v1/tasks/release', { worker_id: 'ann', tasks: [nameOf(third)] });
    expect(await again()).toEqual([{ ...second, items: second.items.slice(0, 1) }]);
  });

  it('is not repeated to another worker or another boot', async () => {
    await submit(2, 1);
    await leased({ lease_limit: 2 });
    expect(await again({ boot_id: 'next' })).toEqual([]);
    expect(await again({ worker_id: 'bob' })).toEqual([]);
  });

  it('is not repeated to a worker that does not ask for it', async () => {
    await submit(4, 1);
    const first = await leased({ lease_limit: 2 });
    const names = (await leased({ lease_limit: 2 })).map(nameOf);
    expect(names).toHaveLength(2);
    for (const task of first) expect(names).not.toContainEqual(nameOf(task));
  });

  it('takes back no lease when a request arrives late or during another grant', async () => {
    await submit(40, 1);
    const [first, ...rest] = await Promise.all([leased({ lease_limit: 4 }), again(), again(), again()]);
    const held = await tasks();
    // An old request arrives after its sender has got more leases.
    await again();
    expect((await tasks()).map(({ status, attempts }) => [status, attempts])).toEqual(
      held.map(({ status, attempts }) => [status, attempts]),
    );
    expect(await report([...first, ...rest.flat()].slice(0, 4).map((task) => completed(task)))).toMatchObject(
      first.map(() => ({ outcome: 'accepted', task_status: 'done' })),
    );
  });
});
