/** Paths that clients of OpenAI post to for an immediate answer. */
export const DIRECT_PATHS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/moderations',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/videos',
] as const;

/** First segments of the paths whose errors have OpenAI's form. */
const PREFIXES = ['/v1/files', '/v1/batches', '/v1/models', ...DIRECT_PATHS];

/** Whether the errors of a path have the form of OpenAI's errors. */
export function isOpenAiPath(path: string): boolean {
  return PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
