import { readConfig, WorkerConfig } from '@macbatch/settings';
import { expect, it } from 'vitest';
import { listModels } from './list-models.ts';
import { modelsText } from './models-text.ts';

const configured = readConfig(WorkerConfig, {
  MACBATCH_ENDPOINTS: JSON.stringify([
    {
      url: 'http://user:s3cret@h:1/v1?key=s3cret',
      models: { small: 'llama3:8b', big: 'evil\u001b[2J' },
      jobTypes: ['chat'],
    },
  ]),
});

const STATUS = {
  pid: 1,
  limits: [{ endpoint: 'openai-endpoint h:1', model: 'small', items: 3 }],
  troubles: ['chat', 'request:/v1/chat/completions'].map((job_type) => ({
    ...{ job_type, model: 'small', endpoint: 'openai-endpoint h:1' },
    ...{ code: 'model_load_failed', message: 'bad magic', next_try_seconds: 12 },
  })),
};

it('lists configured servers with what the running worker says, and without secrets', async () => {
  expect(modelsText(await listModels(configured, STATUS))).toBe(
    [
      'http://h:1/v1',
      '  MODEL      JOBS NAME IT  JOB TYPES  LOADED  CONTEXT  CONCURRENCY',
      '  llama3:8b  small         chat                        3',
      '    cannot run now: model_load_failed: bad magic',
      '  evil [2J   big           chat',
      '',
    ].join('\n'),
  );
});

it('says that nothing was found, or that nothing is looked for', async () => {
  // Nothing listens on port 1.
  const none = readConfig(WorkerConfig, { MACBATCH_DISCOVER_URLS: 'http://127.0.0.1:1' });
  expect(modelsText(await listModels(none, null))).toMatch(/^No model server was found/);
  const off = readConfig(WorkerConfig, { MACBATCH_DISCOVER: '0' });
  expect(modelsText(await listModels(off, null))).toMatch(/discover = false/);
});
