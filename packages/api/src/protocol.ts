import { compatibility, PROTOCOL_HEADER, PROTOCOL_VERSION, protocolVersionOf } from '@macbatch/contract';
import type { Context } from 'hono';
import { Refusal } from './refusal.ts';

/** Refuses a worker that speaks another protocol; its reports are welcome all the same. */
export function checkProtocol(c: Context): void {
  const theirs = protocolVersionOf(c.req.header(PROTOCOL_HEADER));
  switch (compatibility(theirs)) {
    case 'compatible':
      return;
    case 'too_old':
      throw new Refusal(
        'worker_too_old',
        `This worker speaks protocol ${theirs}, this control plane ${PROTOCOL_VERSION} and the one before. Upgrade the worker.`,
      );
    case 'too_new':
      throw new Refusal(
        'worker_too_new',
        `This worker speaks protocol ${theirs}, this control plane only ${PROTOCOL_VERSION}. Upgrade the control plane first.`,
      );
  }
}
