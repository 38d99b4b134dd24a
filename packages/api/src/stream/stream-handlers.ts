import type { Store } from '@macbatch/store';
import type { Caller } from '../auth/caller.ts';
import { mount, type Surface } from '../requests/mount.ts';
import { ChangeHub } from './change-hub.ts';
import { toTopics } from './topics.ts';

/** Mounts the stream that says what has changed. */
export function mountStream(
  surface: Surface,
  {
    stopping,
    onError,
  }: { readonly stopping: AbortSignal | undefined; readonly onError: (error: unknown) => void },
): void {
  const { store } = surface;
  const hub = new ChangeHub({
    newReader: () => store.changeReader(),
    isValid: (caller) => isValid(store.keys, caller),
    onError,
    stopping,
  });

  mount(surface, 'streamChanges', async ({ query }, caller, c) => {
    const stream = hub.open(caller, toTopics(query.topics), c.req.raw.signal);
    // A proxy that collects the reply would hold events back.
    return new Response(stream, {
      headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    });
  });
}

/** Whether the key of a caller, and its session if there is one, can still be used. */
async function isValid(keys: Store['keys'], { keyId, sessionId }: Caller): Promise<boolean> {
  if (keyId === null) return true;
  if (sessionId !== null) {
    const session = await keys.findSession(sessionId);
    return session !== null && !session.expired && session.key.revokedAt === null && !session.key.expired;
  }
  const key = await keys.find(keyId);
  return key !== null && key.revokedAt === null && !key.expired;
}
