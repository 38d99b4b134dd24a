import { expect, it } from 'vitest';
import { mixedBuildsText } from './mixed-builds-text.ts';

const ONE = { name: 'demo:8b', digest: `sha256:${'1'.repeat(64)}` };
const UNKNOWN = { name: 'demo\u001b[2J', digest: null };

it('says nothing while builds do not mix', () => {
  expect(mixedBuildsText({ mixed_models: false, models_used: [ONE], job_type: 'embed' })).toBeNull();
});

it('names the builds, without control characters', () => {
  expect(mixedBuildsText({ mixed_models: true, models_used: [ONE, UNKNOWN], job_type: 'chat' })).toBe(
    '2 builds of the model ran: demo:8b (sha256:111111111111), demo\ufffd[2J (unknown build). Outcomes may not be comparable; model_digest says which build an outcome is from.',
  );
});

it('says that vectors of different builds are not comparable', () => {
  const text = mixedBuildsText({ mixed_models: true, models_used: [ONE, UNKNOWN], job_type: 'embed' });
  expect(text).toContain('Vectors of different builds are not comparable');
});

it('names at most five builds', () => {
  const models_used = Array.from({ length: 30 }, (_, at) => ({ ...ONE, digest: `sha256:${at}` }));
  const text = mixedBuildsText({ mixed_models: true, models_used, job_type: 'chat' });
  expect(text).toMatch(/^30 builds of the model ran: .*\(sha256:4\), 25 more\. /);
});
