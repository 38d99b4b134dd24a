/** First segments of the paths whose errors have OpenAI's form. */
const PREFIXES = ['/v1/files', '/v1/batches'];

/** Whether the errors of a path have the form of OpenAI's errors. */
export function isOpenAiPath(path: string): boolean {
  return PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
