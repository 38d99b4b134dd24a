import type { JobSummary } from '@macbatch/contract';
import { Presets, SingleBar } from 'cli-progress';
import { RateWindow } from './rate-window.ts';
import { duration, rate } from './table.ts';
import { say, type Terminal } from './terminal.ts';

/** How often a line is written where there is no terminal to draw a bar on. */
const LINE_EVERY_MS = 5000;

/** Shows how far a job is. */
export interface Progress {
  /** `ends` says when it should end, where that is known. */
  update(job: JobSummary, ends?: string | null): void;
  stop(): void;
}

/** A bar on a terminal, plain lines elsewhere. */
export function showProgress(terminal: Terminal): Progress {
  return terminal.stderr.isTTY === true ? bar(terminal) : lines(terminal);
}

function ended(job: JobSummary): number {
  return job.items.ok + job.items.error + job.items.failed;
}

function bar(terminal: Terminal): Progress {
  const window = new RateWindow();
  const drawn = new SingleBar(
    {
      stream: terminal.stderr as NodeJS.WritableStream,
      format: ' {bar} {percentage}% | {value}/{total} items | {rate} items/s | {left} left{ends}{trouble}',
      hideCursor: true,
      clearOnComplete: false,
      etaBuffer: 1,
      barsize: 30,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    update(job, ends = null) {
      const done = ended(job);
      const perSecond = window.add(terminal.now(), done);
      const bad = job.items.error + job.items.failed;
      const shown = {
        rate: rate(perSecond),
        left: duration((job.items.total - done) / perSecond),
        ends: ends === null || done === job.items.total ? '' : ` | ${ends}`,
        trouble: bad > 0 ? ` | ${bad} failed` : '',
      };
      if (!started) drawn.start(job.items.total, done, shown);
      started = true;
      drawn.update(done, shown);
    },
    stop() {
      if (started) drawn.stop();
    },
  };
}

function lines(terminal: Terminal): Progress {
  const window = new RateWindow();
  let nextAt = terminal.now();
  let shown = '';
  return {
    update(job, ends = null) {
      const done = ended(job);
      const perSecond = window.add(terminal.now(), done);
      if (terminal.now() < nextAt && done < job.items.total) return;
      nextAt = terminal.now() + LINE_EVERY_MS;
      const line = `${done}/${job.items.total} items`;
      if (line === shown) return;
      shown = line;
      const left =
        done < job.items.total
          ? `, ${duration((job.items.total - done) / perSecond)} left${ends === null ? '' : `, ${ends}`}`
          : '';
      say(terminal.stderr, `${line}, ${rate(perSecond)} items/s${left}`);
    },
    stop() {},
  };
}
