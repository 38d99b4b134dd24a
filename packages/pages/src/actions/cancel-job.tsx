import { counted } from '@macbatch/wording';
import { jobName } from '../jobs/job-name.tsx';
import { pathParam } from '../path-param.ts';
import type { Action } from './action.ts';

export const cancelJob: Action = {
  confirm: async ({ client }, params) => {
    const job = await client.call('readJob', { params: { id: pathParam(params, 'id') } });
    const { open, ok, error, failed } = job.items;
    return {
      title: `Cancel ${jobName(job)}?`,
      body: (
        <p>
          {counted(open, 'item')} will not run. What Macs are running now is reported if it ends soon. The{' '}
          {counted(ok + error + failed, 'outcome')} that the job has stay. It cannot be undone.
        </p>
      ),
      button: `Cancel the job and its ${counted(open, 'open item')}`,
      isDestructive: true,
      command: `macbatch cancel ${job.id}`,
      back: `/jobs/${job.id}`,
    };
  },
  run: async ({ client }, params) => {
    const id = pathParam(params, 'id');
    await client.call('cancelJob', { params: { id } });
    return `/jobs/${encodeURIComponent(id)}`;
  },
};
