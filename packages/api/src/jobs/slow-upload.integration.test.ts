import { expect, it } from 'vitest';
import { fileApp, JOB, NDJSON } from '../testing/file-app.ts';

const { send, refused, errors } = fileApp({ limits: { bodyTotalMs: 200 } });

it('A3: answers 408 and stores nothing when an upload takes longer than its total time limit', async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise(setImmediate);
      const line = sent === 0 ? JSON.stringify(JOB) : `{"id":"${sent}","payload":1}`;
      controller.enqueue(Buffer.from(`${line}\n`));
      sent += 1;
    },
  });
  const problem = await refused(() => send('POST', '/v1/jobs', body, NDJSON));
  expect(problem).toMatchObject({ status: 408, code: 'request_timeout' });
  expect(problem.detail).toContain('MACBATCH_UPLOAD_MINUTES');
  expect(sent).toBeGreaterThan(1);
  expect(errors).toEqual([]);
});
