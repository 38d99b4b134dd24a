import type { JobSummary } from '@macbatch/contract';
import { duration, rate } from '@macbatch/wording';
import { Presets, SingleBar } from 'cli-progress';
import { RateWindow } from './rate-window.ts';
import { printLine, type Terminal } from './terminal.ts';

/** How often a line is written if standard error is not a terminal. */
const LINE_INTERVAL_MS = 5000;

type ProgressTerminal = Pick<Terminal, 'stderr' | 'now'>;

/** The progress display of a job. */
export interface Progress {
  /** `ends` is the expected end of the job, if known. */
  update(job: JobSummary, ends?: string | null): void;
  /** Prints a line above the display. */
  note(line: string): void;
  /** Removes a progress bar; what the command prints next takes its place. */
  stop(): void;
}

/** Shows a progress bar on a terminal, and plain lines elsewhere. */
export function showProgress(terminal: ProgressTerminal): Progress {
  return terminal.stderr.isTTY === true ? bar(terminal) : lines(terminal);
}

function endedItems(job: JobSummary): number {
  return job.items.ok + job.items.error + job.items.failed;
}

function bar(terminal: ProgressTerminal): Progress {
  const window = new RateWindow();
  const singleBar = new SingleBar(
    {
      stream: terminal.stderr as NodeJS.WritableStream,
      format: ' {bar} {percentage}% | {value}/{total} items | {rate} items/s | {left} left{ends}{trouble}',
      hideCursor: true,
      // It ends at the position where it began, so a line below it would be overwritten in part.
      clearOnComplete: true,
      etaBuffer: 1,
      barsize: 30,
    },
    Presets.shades_classic,
  );
  let started = false;
  function stop(): void {
    if (started) singleBar.stop();
    started = false;
  }
  return {
    update(job, ends = null) {
      const done = endedItems(job);
      const perSecond = window.add(terminal.now(), done);
      const bad = job.items.error + job.items.failed;
      const shown = {
        rate: rate(perSecond),
        left: duration((job.items.total - done) / perSecond),
        ends: ends === null || done === job.items.total ? '' : ` | ${ends}`,
        trouble: bad > 0 ? ` | ${bad} failed` : '',
      };
      if (!started) singleBar.start(job.items.total, done, shown);
      started = true;
      singleBar.update(done, shown);
    },
    note(line) {
      stop();
      printLine(terminal.stderr, line);
    },
    stop,
  };
}

function lines(terminal: ProgressTerminal): Progress {
  const window = new RateWindow();
  let nextAt = terminal.now();
  let shown = '';
  return {
    update(job, ends = null) {
      const done = endedItems(job);
      const perSecond = window.add(terminal.now(), done);
      if (terminal.now() < nextAt && done < job.items.total) return;
      nextAt = terminal.now() + LINE_INTERVAL_MS;
      const line = `${done}/${job.items.total} items`;
      if (line === shown) return;
      shown = line;
      const left =
        done < job.items.total
          ? `, ${duration((job.items.total - done) / perSecond)} left${ends === null ? '' : `, ${ends}`}`
          : '';
      printLine(terminal.stderr, `${line}, ${rate(perSecond)} items/s${left}`);
    },
    note: (line) => printLine(terminal.stderr, line),
    stop() {},
  };
}
