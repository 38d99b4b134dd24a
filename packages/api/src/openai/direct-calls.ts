import { requestEndpoint } from '@macbatch/core';
import type { Surface } from '../requests/mount.ts';
import { DIRECT_PATHS } from './openai-paths.ts';
import { OpenAiRefusal } from './openai-refusal.ts';

/** Refuses direct calls, and says how to submit them. */
export function mountDirectCalls({ app, authenticator }: Surface): void {
  for (const path of DIRECT_PATHS) {
    app.post(path, async (c) => {
      await authenticator.admitOpenAi(c);
      throw new OpenAiRefusal(400, 'batch_only', adviceFor(path));
    });
  }
}

function adviceFor(path: string): string {
  const about = `This is a batch pool: nobody waits for its answers, so it does not serve POST ${path} directly.`;
  if (requestEndpoint(path) === null) return `${about} Its batches do not support this endpoint either.`;
  return (
    `${about} Write each request as a line {"custom_id": "…", "method": "POST", "url": "${path}", "body": {…}} of a file, ` +
    'upload the file to POST /v1/files with the purpose "batch", and create a batch of it with POST /v1/batches.'
  );
}
