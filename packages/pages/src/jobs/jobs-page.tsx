import type { RouteReply, WorkerView } from '@macbatch/contract';
import { JOB_STATES, JOB_TYPES } from '@macbatch/core';
import { counted, grouped, rate } from '@macbatch/wording';
import { Badge } from '../badge.tsx';
import { NoMatch, NothingYet } from '../empty-state.tsx';
import { ExactText } from '../exact-text.tsx';
import type { PageContent } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { withQuery } from '../page-context.ts';
import { ProgressBar, percentEnded } from '../progress-bar.tsx';
import { ScrollTable } from '../scroll-table.tsx';
import { Ago, type Clock } from '../times.tsx';
import { JobAttention } from './job-attention.tsx';
import { jobName } from './job-name.tsx';
import { TimeLeft } from './time-left.tsx';

type JobRow = RouteReply<'listJobs'>['jobs'][number];

const FILTERS = ['state', 'type', 'model', 'group', 'q'] as const;
const JOBS_PER_PAGE = '50';
/** Open jobs of which the line on the pool knows, whatever the filter shows. */
const MAX_OPEN_COUNTED = '200';

/** All jobs: the open ones first, then the newest. */
export async function jobsPage({ client, url, clock, caller }: PageContext): Promise<PageContent> {
  const filter = Object.fromEntries(
    FILTERS.map((name) => [name, url.searchParams.get(name) ?? ''] as const).filter(
      ([, value]) => value !== '',
    ),
  );
  const before = url.searchParams.get('before');
  const [page, openJobs, { workers }] = await Promise.all([
    client.call('listJobs', {
      query: {
        limit: JOBS_PER_PAGE,
        sort: 'open',
        ...filter,
        ...(before === null ? {} : { before }),
      },
    }),
    client.call('listJobs', { query: { limit: MAX_OPEN_COUNTED, state: 'queued,running' } }),
    client.call('listWorkers', {}),
  ]);
  const isFiltered = Object.keys(filter).length > 0;
  const open = openJobs.jobs;
  const pool = poolText(openJobs, workers);
  return {
    title: 'Jobs',
    summary: pool,
    topics: ['jobs', 'workers'],
    body: (
      <>
        <div class="heading">
          <h1>Jobs</h1>
          <p class="pool">{pool}</p>
        </div>
        <JobAttention jobs={open} />
        <Filters url={url} isAdmin={caller.role === 'admin'} />
        {page.jobs.length === 0 ? (
          isFiltered || before !== null ? (
            <NoMatch what="jobs" clear="/" />
          ) : (
            <NothingYet
              title="No job yet"
              command="macbatch submit reviews.csv --type classify --model qwen3 --labels good,bad"
            >
              <p>Submit a file from any machine that has a key:</p>
            </NothingYet>
          )
        ) : (
          <JobTable jobs={page.jobs} clock={clock} />
        )}
        <nav class="pager" aria-label="Pages of jobs">
          {before !== null && <a href={withQuery(url, { before: null })}>Newest</a>}
          {page.next !== null && <a href={withQuery(url, { before: page.next })}>Older jobs</a>}
        </nav>
      </>
    ),
  };
}

/** Says what the whole pool does, whatever the filter shows. */
function poolText({ jobs, next }: RouteReply<'listJobs'>, workers: readonly WorkerView[]): string {
  const speed = jobs.reduce((sum, job) => sum + (job.items_per_second ?? 0), 0);
  const working = workers.filter(({ state }) => state === 'working').length;
  const alive = workers.filter((worker) => worker.alive && !worker.offline).length;
  const open = `${next === null ? '' : 'more than '}${counted(jobs.length, 'job')} open`;
  return `${working} of ${counted(alive, 'Mac')} working, ${rate(speed)} items/s, ${open}`;
}

function Filters({ url, isAdmin }: { readonly url: URL; readonly isAdmin: boolean }) {
  const value = (name: string) => url.searchParams.get(name) ?? '';
  return (
    <search aria-label="Filter jobs">
      <form class="filters" method="get" action="/">
        <label>
          Name or id
          <input id="find" name="q" type="search" value={value('q')} maxlength={200} />
        </label>
        <Choice label="State" name="state" chosen={value('state')} options={JOB_STATES} />
        <Choice label="Type" name="type" chosen={value('type')} options={JOB_TYPES} />
        <label>
          Model
          <input name="model" value={value('model')} maxlength={200} />
        </label>
        {isAdmin && (
          <label>
            Group
            <input name="group" value={value('group')} maxlength={200} />
          </label>
        )}
        <button type="submit">Filter</button>
      </form>
    </search>
  );
}

function Choice({
  label,
  name,
  chosen,
  options,
}: {
  readonly label: string;
  readonly name: string;
  readonly chosen: string;
  readonly options: readonly string[];
}) {
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">any</option>
        {options.map((option) => (
          <option value={option} selected={option === chosen}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

function JobTable({ jobs, clock }: { readonly jobs: readonly JobRow[]; readonly clock: Clock }) {
  return (
    <ScrollTable
      label="Table of jobs"
      columns={[
        { text: 'Job' },
        { text: 'State' },
        { text: 'Progress', kind: 'wide' },
        { text: 'Items', kind: 'number' },
        { text: 'Items/s', kind: 'number' },
        { text: 'Time left' },
        { text: 'Errors', kind: 'number' },
        { text: 'Lost leases', kind: 'number' },
        { text: 'Macs', kind: 'number' },
        { text: 'By' },
        { text: 'Age' },
      ]}
    >
      {jobs.map((job) => (
        <tr id={`job-${job.id}`}>
          <th scope="row">
            <a href={`/jobs/${job.id}`}>
              <ExactText text={jobName(job)} />
            </a>
            <span class="sub">
              {job.job_type} · <ExactText text={job.model} />
            </span>
          </th>
          <td>
            <Badge state={job.state} />
          </td>
          <td class="wide">
            <span class="progress">
              <ProgressBar items={job.items} />
              <span class="percent">{percentEnded(job.items)} %</span>
            </span>
          </td>
          <td class="number">
            {grouped(job.items.total - job.items.open)} of {grouped(job.items.total)}
          </td>
          <td class="number">{job.items_per_second === null ? '–' : rate(job.items_per_second)}</td>
          <td>
            <TimeLeft job={job} clock={clock} />
          </td>
          <td class="number">
            <Errors job={job} />
          </td>
          <td class="number">{grouped(job.lease_expired_events)}</td>
          <td class="number">{job.active_workers}</td>
          <td>{job.submitted_by === null ? '–' : <ExactText text={job.submitted_by} />}</td>
          <td>
            <Ago at={job.created_at} clock={clock} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}

function Errors({ job }: { readonly job: JobRow }) {
  const count = job.items.error + job.items.failed;
  return count === 0 ? <>0</> : <a href={`/jobs/${job.id}#failures`}>{grouped(count)}</a>;
}
