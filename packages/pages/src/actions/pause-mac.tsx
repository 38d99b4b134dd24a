import { counted } from '@macbatch/wording';
import { ExactText } from '../exact-text.tsx';
import { pathParam } from '../path-param.ts';
import type { Action } from './action.ts';

const HOURS = [1, 2, 8, 24] as const;
const HOUR_MS = 3_600_000;

/** Pauses a Mac, for a time or until somebody resumes it. Draining also hands back what it has not started. */
export const pauseMac: Action = {
  confirm: async ({ client }, params) => {
    const id = pathParam(params, 'id');
    const { workers } = await client.call('listWorkers', {});
    const held = workers.find(({ worker_id }) => worker_id === id)?.tasks_leased ?? 0;
    return {
      title: `Pause ${id}?`,
      body: (
        <p>
          <ExactText text={id} /> leases nothing more. It holds {counted(held, 'task')} now and finishes them,
          unless it is told to hand back what it has not started. Its heartbeats continue.
        </p>
      ),
      fields: (
        <>
          <label>
            For
            <select name="hours">
              <option value="">until somebody resumes it</option>
              {HOURS.map((hours) => (
                <option value={String(hours)}>{counted(hours, 'hour')}</option>
              ))}
            </select>
          </label>
          <label>
            Reason, for people
            <input name="reason" maxlength={200} />
          </label>
          <label class="check">
            <input type="checkbox" name="drain" value="true" /> Hand back what it has not started
          </label>
        </>
      ),
      button: `Pause ${id}`,
      isDestructive: false,
      command: `macbatch worker pause ${id} --until 2h --reason TEXT`,
      back: `/macs/${encodeURIComponent(id)}`,
    };
  },
  run: async ({ client, clock }, params, form) => {
    const id = pathParam(params, 'id');
    const hours = HOURS.find((known) => String(known) === form.get('hours'));
    const reason = form.get('reason') ?? '';
    await client.call('pauseWorker', {
      params: { id },
      body: {
        drain: form.get('drain') === 'true',
        ...(reason === '' ? {} : { reason }),
        ...(hours === undefined
          ? {}
          : { until: new Date(clock.now.getTime() + hours * HOUR_MS).toISOString() }),
      },
    });
    return `/macs/${encodeURIComponent(id)}`;
  },
};

export const resumeMac: Action = {
  confirm: async (_, params) => {
    const id = pathParam(params, 'id');
    return {
      title: `Resume ${id}?`,
      body: (
        <p>
          <ExactText text={id} /> leases tasks again at once.
        </p>
      ),
      button: `Resume ${id}`,
      isDestructive: false,
      command: `macbatch worker resume ${id}`,
      back: `/macs/${encodeURIComponent(id)}`,
    };
  },
  run: async ({ client }, params) => {
    const id = pathParam(params, 'id');
    await client.call('resumeWorker', { params: { id } });
    return `/macs/${encodeURIComponent(id)}`;
  },
};
