/** Makes a worker id of a host name: replaces what an id must not contain. */
export function workerIdOf(hostname: string): string {
  return hostname.replaceAll(/[^\x21-\x7e]+/g, '-').slice(0, 200) || 'worker';
}
