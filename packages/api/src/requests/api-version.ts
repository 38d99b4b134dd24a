import { API_VERSION, API_VERSION_HEADER, apiVersionOf, compatibility } from '@macbatch/contract';
import type { Context } from 'hono';
import { RefusedRequest } from './refused-request.ts';

/** Refuses a worker that speaks another protocol; its reports are welcome all the same. */
export function checkProtocol(c: Context): void {
  const theirs = apiVersionOf(c.req.header(API_VERSION_HEADER));
  switch (compatibility(theirs)) {
    case 'compatible':
      return;
    case 'too_old':
      throw new RefusedRequest(
        'worker_too_old',
        `This worker speaks protocol ${theirs}, this control plane ${API_VERSION} and the one before. Upgrade the worker.`,
      );
    case 'too_new':
      throw new RefusedRequest(
        'worker_too_new',
        `This worker speaks protocol ${theirs}, this control plane only ${API_VERSION}. Upgrade the control plane first.`,
      );
  }
}
