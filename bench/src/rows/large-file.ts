import { setTimeout as delay } from 'node:timers/promises';
import { startControlPlane } from '../load/control-plane.ts';
import { post } from '../load/post.ts';
import { readToEnd } from '../load/read-to-end.ts';
import { ENDPOINT, uploadRequests } from '../load/send-requests.ts';
import { figure, type Row } from '../row.ts';

const POLL_MS = 50;
const LINE_BYTES = 10_000;
/** Growth of the control plane's memory that the design allows. */
const MEMORY_MB = { floor: 256, goal: 192 };

/** A file of 2 GB through upload, validation and download. */
export const largeFile: Row = {
  name: 'large-file',
  title: 'input file of 2 GB over HTTP',
  async measure(bench) {
    const count = bench.quick ? 2000 : 200_000;
    const megabytes = (count * LINE_BYTES) / 1e6;
    await using database = await bench.server.database('product');
    await using control = await startControlPlane(database.url);
    await readToEnd(`${control.url}/v1/models`);
    const idleMb = (await control.usage()).peakMb;
    const timed = async <Result>(step: string, work: Promise<Result>) => {
      const started = performance.now();
      const result = await work;
      const rate = megabytes / ((performance.now() - started) / 1000);
      const memoryMb = (await control.usage()).peakMb - idleMb;
      bench.progress(`${step}: ${rate.toFixed(1)} MB/s, ${memoryMb.toFixed(0)} MB above idle`);
      return { result, rate, memoryMb };
    };
    const upload = await timed('upload', uploadRequests(control.url, count, LINE_BYTES));
    const validation = await timed('validation', validate(control.url, upload.result));
    const download = await timed('download', readToEnd(`${control.url}/v1/files/${upload.result}/content`));
    const rate = (what: string, value: number) => figure({ what, value, unit: 'MB/s' });
    return [
      rate('upload', upload.rate),
      rate('validation', validation.rate),
      rate('download', download.rate),
      figure({
        what: 'memory of the control plane above idle',
        value: download.memoryMb,
        unit: 'MB',
        ...MEMORY_MB,
        better: 'less',
      }),
    ];
  },
};

/** Creates a batch of a file. Resolves when its requests can run. */
async function validate(url: string, file: string): Promise<void> {
  const input = { input_file_id: file, endpoint: ENDPOINT, completion_window: '24h' };
  const { id } = (await post(`${url}/v1/batches`, JSON.stringify(input))) as { id: string };
  for (;;) {
    const { status } = (await (await fetch(`${url}/v1/batches/${id}`)).json()) as { status: string };
    if (status === 'in_progress') return;
    if (status !== 'validating') throw new Error(`the batch is ${status}`);
    await delay(POLL_MS);
  }
}
