import { API_VERSION, API_VERSION_HEADER, apiVersionOf, compatibility } from '@macbatch/contract';
import type { Context } from 'hono';
import { RefusedRequest } from './refused-request.ts';

/** Refuses a worker with an incompatible API version. Reports of finished outcomes are accepted anyway. */
export function checkProtocol(c: Context): void {
  const theirs = apiVersionOf(c.req.header(API_VERSION_HEADER));
  switch (compatibility(theirs)) {
    case 'compatible':
      return;
    case 'too_old':
      throw new RefusedRequest(
        'worker_too_old',
        `This worker has API version ${theirs}, this control plane supports ${API_VERSION - 1} and ${API_VERSION}. Upgrade the worker.`,
      );
    case 'too_new':
      throw new RefusedRequest(
        'worker_too_new',
        `This worker has API version ${theirs}, this control plane only ${API_VERSION}. Upgrade the control plane first.`,
      );
  }
}
