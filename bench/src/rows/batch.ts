import { fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startControlPlane } from '../load/control-plane.ts';
import { post } from '../load/post.ts';
import { readToEnd } from '../load/read-to-end.ts';
import { ENDPOINT, submitRequests, uploadRequests } from '../load/send-requests.ts';
import { median, medianRatio } from '../median.ts';
import { nextMessage } from '../next-message.ts';
import { type Bench, figure, type Line, type Row } from '../row.ts';

/** An answer of a model server, of about 300 bytes. */
const ANSWER = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'It is a complaint.' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 30, completion_tokens: 6, total_tokens: 36 },
});
const POLL_MS = 50;
/** Growth of the control plane's memory that the design allows. */
const MEMORY_MB = { floor: 256, goal: 192 };
/** Part of the native rate. */
const RATE = { floor: 0.7, goal: 0.9 };

/** The largest batch that is allowed by default, which is OpenAI's limit. */
export const batch: Row = batchRow('batch', 50_000);
/** A batch of the size that can be configured. */
export const largeBatch: Row = batchRow('large-batch', 1_000_000);

function batchRow(name: string, requests: number): Row {
  return {
    name,
    title: `OpenAI batch of ${requests.toLocaleString('en')} requests (200 B) over HTTP`,
    async measure(bench) {
      const count = bench.quick ? 5000 : requests;
      const runs: BatchRun[] = [];
      for (let round = 1; round <= Math.min(bench.rounds, 3); round += 1) {
        const run = await runBatch(bench, count);
        runs.push(run);
        bench.progress(`round ${round}: ${JSON.stringify(run)}`);
      }
      return linesOf(runs);
    },
  };
}

/** Rates in requests a second. */
interface BatchRun {
  readonly upload: number;
  readonly nativeUpload: number;
  /** From the creation of the batch until its requests can run. */
  readonly validation: number;
  /** From the last outcome until the batch is completed. */
  readonly finalizing: number;
  readonly download: number;
  readonly nativeDownload: number;
  /** Growth of the control plane's memory over all steps. */
  readonly memoryMb: number;
  /** The same up to the end of each step. */
  readonly memoryAfterMb: Readonly<Record<string, number>>;
}

type Figure = Exclude<keyof BatchRun, 'memoryAfterMb'>;

interface BatchReply {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly request_counts: { readonly completed: number };
}

async function runBatch(bench: Bench, count: number): Promise<BatchRun> {
  await using database = await bench.server.database('product');
  const rateOf = async (work: Promise<unknown>) => {
    const started = performance.now();
    await work;
    return count / ((performance.now() - started) / 1000);
  };
  const native = async () => {
    await using other = await bench.server.database('product');
    await using control = await startControlPlane(other.url);
    return await rateOf(submitRequests(control.url, count));
  };
  const nativeUpload = await native();

  await using control = await startControlPlane(database.url);
  // A first request loads what every control plane has loaded.
  await readToEnd(`${control.url}/v1/models`);
  const idleMb = (await control.usage()).peakMb;
  const memoryAfterMb: Record<string, number> = {};
  const noteMemory = async (step: string) => {
    memoryAfterMb[step] = Math.round((await control.usage()).peakMb - idleMb);
  };
  let file = '';
  const uploading = uploadRequests(control.url, count).then((id) => {
    file = id;
  });
  const upload = await rateOf(uploading);
  await noteMemory('upload');
  let created = '';
  const reached = async (status: string): Promise<BatchReply> => {
    for (;;) {
      const found = (await getJson(`${control.url}/v1/batches/${created}`)) as BatchReply;
      if (found.status === status) return found;
      if (found.status === 'failed') throw new Error('the batch has failed');
      await delay(POLL_MS);
    }
  };
  const validate = async () => {
    const input = { input_file_id: file, endpoint: ENDPOINT, completion_window: '24h' };
    ({ id: created } = (await post(`${control.url}/v1/batches`, JSON.stringify(input))) as BatchReply);
    await reached('in_progress');
  };
  const validation = await rateOf(validate());
  await noteMemory('validation');
  await drain(control.url);
  await noteMemory('run');
  const finalizing = await rateOf(reached('completed'));
  await noteMemory('finalizing');
  const ended = await reached('completed');
  if (ended.request_counts.completed !== count)
    throw new Error(`${ended.request_counts.completed} requests were completed`);
  const download = await rateOf(readToEnd(`${control.url}/v1/files/${ended.output_file_id}/content`));
  const { peakMb } = await control.usage();
  const { jobs } = (await getJson(`${control.url}/v1/jobs`)) as {
    readonly jobs: readonly { readonly id: string }[];
  };
  const nativeDownload = await rateOf(readToEnd(`${control.url}/v1/jobs/${jobs[0]?.id}/results`));
  return {
    upload,
    nativeUpload,
    validation,
    finalizing,
    download,
    nativeDownload,
    memoryMb: peakMb - idleMb,
    memoryAfterMb,
  };
}

/** Runs all requests in a process of its own. */
async function drain(url: string): Promise<void> {
  const program = fileURLToPath(new URL('../load/drain-http.ts', import.meta.url));
  await nextMessage(fork(program, [url, '100', '4', `request:${ENDPOINT}`, 'm', ANSWER]));
}

async function getJson(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

function linesOf(runs: readonly BatchRun[]): Line[] {
  const each = (name: Figure) => runs.map((run) => run[name]);
  const rate = (what: string, name: Figure, nativeName?: Figure) =>
    figure({
      what,
      value: median(each(name)),
      unit: 'requests/s',
      ...(nativeName === undefined
        ? {}
        : { to: 'native NDJSON', ratio: medianRatio(each(name), each(nativeName)), ...RATE }),
    });
  return [
    rate('upload of the file', 'upload', 'nativeUpload'),
    rate('validation', 'validation'),
    rate('writing of the output file', 'finalizing'),
    rate('download of the output file', 'download', 'nativeDownload'),
    figure({
      what: 'memory of the control plane above idle',
      value: median(each('memoryMb')),
      unit: 'MB',
      ...MEMORY_MB,
      better: 'less',
    }),
  ];
}
