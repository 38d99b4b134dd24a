import { Agent, type Dispatcher } from 'undici';
import { boundedRequest, type RequestBounds, RequestFailure } from '../endpoint/bounded-request.ts';
import { parseReply } from '../endpoint/reply-json.ts';
import {
  type Answer,
  type Answers,
  IDENTIFYING_PATHS,
  type IdentifyingPath,
  type Identity,
  identify,
  pathsOf,
} from './identify-server.ts';
import type { ServerKindName } from './server-kinds.ts';

/** Bounds of one request. A server that is busy with a prompt may take a second to list its models. */
const BOUNDS: RequestBounds = { timeoutMs: 3000, maxBytes: 8 * 1024 * 1024 };
/** More of a text does not help to tell servers apart. */
const MAX_TEXT_LENGTH = 4096;

/** What a look at an address has found. */
export type Sighting =
  /** Nothing listens there. */
  | { readonly seen: 'nothing' }
  /** Something listens there and does not answer in time. */
  | { readonly seen: 'silence' }
  | { readonly seen: 'answers'; readonly identity: Identity };

/** Opens the connections for looks at addresses on this machine. They never go through a proxy. */
export function lookConnections(): Dispatcher {
  return new Agent({ connect: { timeout: BOUNDS.timeoutMs } });
}

/**
 * Looks what listens at an address. Sends a second request only if the first is answered, so that an address without a
 * server costs one refused connection. A server of a known kind is asked for its models only.
 */
export async function lookAt(
  url: string,
  known: ServerKindName | null,
  dispatcher: Dispatcher,
): Promise<Sighting> {
  const ask = (path: IdentifyingPath) => answerOf(`${url}${path}`, dispatcher);
  if (known !== null) {
    const found = await identityFrom(pathsOf(known), ask);
    if (found.seen !== 'answers' || found.identity.kind === known) return found;
  }
  return identityFrom(IDENTIFYING_PATHS, ask);
}

async function identityFrom(
  [first, ...others]: readonly IdentifyingPath[],
  ask: (path: IdentifyingPath) => Promise<Answer | 'refused' | 'late'>,
): Promise<Sighting> {
  if (first === undefined) return { seen: 'nothing' };
  const firstAnswer = await ask(first);
  if (firstAnswer === 'refused') return { seen: 'nothing' };
  if (firstAnswer === 'late') return { seen: 'silence' };
  const more = await Promise.all(others.map(async (path) => [path, await ask(path)] as const));
  const answers: Answers = Object.fromEntries(
    [[first, firstAnswer] as const, ...more].filter(([, answer]) => typeof answer === 'object'),
  );
  const identity = identify(answers);
  // It may be a server that is too busy to list its models.
  if (identity.kind === null && more.some(([, answer]) => answer === 'late')) return { seen: 'silence' };
  return { seen: 'answers', identity };
}

async function answerOf(url: string, dispatcher: Dispatcher): Promise<Answer | 'refused' | 'late'> {
  try {
    const { status, text, isTooLong } = await boundedRequest(
      url,
      { method: 'GET', headers: {}, dispatcher },
      BOUNDS,
    );
    return {
      status,
      json: status === 200 && !isTooLong ? parseReply(text) : undefined,
      text: text.slice(0, MAX_TEXT_LENGTH),
    };
  } catch (error) {
    return error instanceof RequestFailure && error.isTimeout ? 'late' : 'refused';
  }
}
