import { counted } from '@macbatch/wording';
import { ExactText } from '../exact-text.tsx';
import { jobName } from '../jobs/job-name.tsx';
import { pathParam } from '../path-param.ts';
import type { Action } from './action.ts';

/** Retries the failures of a job: all, or those of the group that the query names. */
export const retryJob: Action = {
  confirm: async ({ client, url }, params) => {
    const id = pathParam(params, 'id');
    const failure = url.searchParams.get('failure');
    const job = await client.call('readJob', { params: { id } });
    const common = {
      title: `Retry failures of ${jobName(job)}?`,
      isDestructive: false,
      back: `/jobs/${job.id}`,
    };
    if (failure === null) {
      const count = job.items.error + job.items.failed;
      return {
        ...common,
        body: (
          <p>All items that ended with an error or whose task failed run again. Their errors are replaced.</p>
        ),
        button: `Retry all ${counted(count, 'failed item')}`,
        command: `macbatch retry ${job.id} --items`,
      };
    }
    const { groups } = await client.call('listFailures', { params: { id } });
    const group = groups.find((each) => each.id === failure);
    return {
      ...common,
      body: (
        <p>
          Only failures like this one run again, and their errors are replaced:{' '}
          <ExactText text={group?.message ?? failure} />
        </p>
      ),
      button: `Retry ${counted(group?.count ?? 0, 'item')} of this group`,
      command: `macbatch retry ${job.id} --failure ${failure}`,
    };
  },
  run: async ({ client, url }, params) => {
    const id = pathParam(params, 'id');
    const failure = url.searchParams.get('failure');
    await client.call('retryJob', {
      params: { id },
      body: failure === null ? { items: true } : { failure },
    });
    return `/jobs/${encodeURIComponent(id)}`;
  },
};
