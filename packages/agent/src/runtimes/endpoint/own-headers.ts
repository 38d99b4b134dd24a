/** Headers that belong to the connection or to the body. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Checks the headers that an owner wants sent with every request, and returns them in lower case. Throws for a header
 * that cannot be sent. The message names the header and never its value.
 */
export function ownHeaders(headers: Readonly<Record<string, string>>, host: string): Record<string, string> {
  const checked = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const refuse = (why: string): never => {
      throw new Error(`a header for the model server ${host} cannot be sent: ${JSON.stringify(name)} ${why}`);
    };
    const key = name.toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) refuse('is not the name of a header');
    if (RESERVED.has(key)) refuse('is set by the worker itself');
    if (checked.has(key)) refuse('is given twice');
    if (!/^[\t\x20-\x7e]*$/.test(value)) refuse('has a value with characters that a header cannot carry');
    checked.set(key, value);
  }
  return Object.fromEntries(checked);
}
