import { get } from 'node:http';

/** Downloads a reply and drops its bytes. Rejects unless the status is 200. */
export function readToEnd(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('error', reject);
      response.on('end', resolve);
      response.resume();
    });
    request.on('error', reject);
  });
}
