import type { JobExplanation, JobView } from '@macbatch/contract';
import {
  duration,
  grouped,
  mixedBuildsText,
  noEstimateText,
  rate,
  silentHoldersText,
  waitText,
} from '@macbatch/wording';
import { Badge } from '../badge.tsx';
import { Command } from '../empty-state.tsx';
import { EventTable } from '../events/event-table.tsx';
import { ExactText } from '../exact-text.tsx';
import type { PageContent } from '../layout.tsx';
import { Troubles } from '../macs/troubles.tsx';
import { maySubmit, type PageContext } from '../page-context.ts';
import { pathParam } from '../path-param.ts';
import { ProgressBar, percentEnded } from '../progress-bar.tsx';
import { ThroughputPlot } from '../throughput/throughput-plot.tsx';
import { Ago, type Clock, clockRange, Exactly } from '../times.tsx';
import { FailureGroups } from './failure-groups.tsx';
import { JobMacs } from './job-macs.tsx';
import { jobName } from './job-name.tsx';

const EVENTS_SHOWN = '20';

/** One job: how far it is, when it ends and why, what fails, and who works on it. */
export async function jobPage(
  context: PageContext,
  params: Readonly<Record<string, string>>,
): Promise<PageContent> {
  const { client, clock } = context;
  const id = pathParam(params, 'id');
  const [job, explanation, failures, { events }, throughput] = await Promise.all([
    client.call('readJob', { params: { id } }),
    client.call('explainJob', { params: { id } }),
    client.call('listFailures', { params: { id } }),
    client.call('listEvents', { query: { job: id, limit: EVENTS_SHOWN } }),
    client.call('readThroughput', { query: { job: id } }),
  ]);
  const ended = job.items.total - job.items.open;
  return {
    title: jobName(job),
    summary: `${percentEnded(job.items)} percent, ${grouped(ended)} of ${grouped(job.items.total)} items, ${job.state}`,
    topics: [`job:${id}`, 'workers'],
    body: (
      <>
        <p class="crumbs">
          <a href="/">Jobs</a>
        </p>
        <div class="heading">
          <h1>
            <ExactText text={jobName(job)} /> <Badge state={job.state} />
          </h1>
          <Actions job={job} isAllowed={maySubmit(context)} />
        </div>
        <section class="card" aria-label="Progress">
          <p class="figures">
            <span class="big">{percentEnded(job.items)} %</span>
            <span>
              <a href={`/jobs/${id}/items`}>
                {grouped(ended)} of {grouped(job.items.total)} items
              </a>
            </span>
            <Counts job={job} />
          </p>
          <ProgressBar items={job.items} />
          <Ending explanation={explanation} clock={clock} />
        </section>
        <Troubles troubles={explanation.troubles} />
        <FailureGroups job={job} failures={failures} mayRetry={maySubmit(context)} />
        <section>
          <h2>The last hour</h2>
          <ThroughputPlot id="job" throughput={throughput} clock={clock} />
        </section>
        <section>
          <h2>Macs</h2>
          <JobMacs job={job} clock={clock} />
        </section>
        <section>
          <h2>Events</h2>
          <EventTable events={events} clock={clock} isOfOneJob />
          <p>
            <a href={`/events?job=${id}`}>All events of this job</a>
          </p>
        </section>
        <section>
          <h2>Details</h2>
          <Details job={job} clock={clock} />
        </section>
        <section>
          <h2>On the command line</h2>
          <Command text={`macbatch watch ${id}`} />
          <Command text={`macbatch results ${id} -o outcomes.jsonl`} />
        </section>
      </>
    ),
  };
}

function Actions({ job, isAllowed }: { readonly job: JobView; readonly isAllowed: boolean }) {
  const isOpen = job.state === 'queued' || job.state === 'running';
  const bad = job.items.error + job.items.failed;
  const path = `/jobs/${job.id}`;
  return (
    <p class="buttons">
      <a class="button quiet" href={`${path}/results.jsonl`}>
        Download JSONL
      </a>
      <a class="button quiet" href={`${path}/results.csv`}>
        CSV
      </a>
      {bad > 0 && (
        <a class="button quiet" href={`${path}/results.jsonl?status=error`}>
          Errors only
        </a>
      )}
      {isAllowed && bad > 0 && job.state !== 'cancelled' && (
        <a class="button" href={`${path}/retry`}>
          Retry {grouped(bad)} failed…
        </a>
      )}
      {isAllowed && isOpen && (
        <a class="button danger" href={`${path}/cancel`}>
          Cancel…
        </a>
      )}
    </p>
  );
}

function Counts({ job: { id, items } }: { readonly job: JobView }) {
  const kinds = [
    { state: 'ok', count: items.ok, text: 'ok' },
    { state: 'error', count: items.error, text: 'with an error' },
    { state: 'failed', count: items.failed, text: 'failed' },
    { state: 'open', count: items.open, text: 'open' },
  ];
  return (
    <>
      {kinds
        .filter(({ count }) => count > 0)
        .map(({ state, count, text }) => (
          <a class="chip" data-state={state} href={`/jobs/${id}/items?state=${state}`}>
            {grouped(count)} {text}
          </a>
        ))}
    </>
  );
}

function Ending({ explanation, clock }: { readonly explanation: JobExplanation; readonly clock: Clock }) {
  const { estimate, pace } = explanation;
  const silent = silentHoldersText(explanation);
  const none = noEstimateText(explanation.no_estimate);
  return (
    <>
      <p>{waitText(explanation)}</p>
      {silent !== null && <p class="warning">{silent}</p>}
      {estimate !== null && (
        <p>
          It should end between{' '}
          <strong>{clockRange(new Date(estimate.low_at), new Date(estimate.high_at), clock)}</strong>, in{' '}
          {duration(estimate.low_seconds)} to {duration(estimate.high_seconds)}; most likely in{' '}
          {duration(estimate.likely_seconds)}.
          {pace.measured > 0 && ` In the last minutes its rate was ${rate(pace.measured)} items/s.`}
        </p>
      )}
      {estimate === null && none !== null && <p class="weak">{none}</p>}
    </>
  );
}

function Details({ job, clock }: { readonly job: JobView; readonly clock: Clock }) {
  const mixed = mixedBuildsText(job);
  return (
    <dl class="details">
      <dt>Id</dt>
      <dd>
        <code>{job.id}</code>
      </dd>
      <dt>Type and model</dt>
      <dd>
        {job.job_type} with <ExactText text={job.model} />
      </dd>
      <dt>Models that ran</dt>
      <dd>
        {job.models_used.length === 0
          ? 'none yet'
          : job.models_used.map(({ name, digest }) => (
              <span class="line">
                <ExactText text={name} /> {digest !== null && <code>{digest.slice(0, 19)}</code>}
              </span>
            ))}
        {mixed !== null && <span class="warning">{mixed}</span>}
      </dd>
      <dt>Submitted</dt>
      <dd>
        <Exactly at={job.created_at} clock={clock} /> (<Ago at={job.created_at} clock={clock} />)
        {job.submitted_by !== null && (
          <>
            {' '}
            by <ExactText text={job.submitted_by} />
          </>
        )}
      </dd>
      <dt>Ended</dt>
      <dd>
        <Exactly at={job.finished_at ?? job.cancelled_at} clock={clock} />
      </dd>
      <dt>Tasks</dt>
      <dd>
        {grouped(job.tasks.done)} done, {grouped(job.tasks.leased)} leased, {grouped(job.tasks.pending)}{' '}
        pending, {grouped(job.tasks.failed)} failed; {job.shard_size} items each
      </dd>
      <dt>Leases</dt>
      <dd>
        {grouped(job.leases_granted)} granted, {grouped(job.lease_expired_events)} lost
      </dd>
      <dt>Reused, repeated</dt>
      <dd>
        {grouped(job.items.reused)} from earlier jobs, {grouped(job.items.repeated)} within this one
      </dd>
      <dt>Parameters</dt>
      <dd>
        <pre class="text">
          <ExactText text={JSON.stringify(job.params, null, 2)} />
        </pre>
      </dd>
    </dl>
  );
}
