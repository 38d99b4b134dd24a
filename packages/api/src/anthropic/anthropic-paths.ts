const PREFIX = '/v1/messages';

/** Paths that clients of Anthropic post to for an immediate answer. */
export const DIRECT_MESSAGE_PATHS = [PREFIX, `${PREFIX}/count_tokens`] as const;

/** Whether the errors of a path have the form of Anthropic's errors. */
export function isAnthropicPath(path: string): boolean {
  return path === PREFIX || path.startsWith(`${PREFIX}/`);
}
