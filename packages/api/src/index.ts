export { type AppOptions, createApp } from './app.ts';
export { newSecret } from './auth/key-text.ts';
export type { BatchLimits } from './openai/batch-limits.ts';
export { createBatchRunner } from './openai/batch-runner.ts';
export { problemText } from './requests/refused-request.ts';
export { toBoot } from './workers/to-boot.ts';
