import { type RouteArguments, type RouteName, type RouteReply, routes, schemasOf } from '@macbatch/contract';
import type { Store } from '@macbatch/store';
import type { Context, Hono } from 'hono';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Caller } from '../auth/caller.ts';
import { invalidField } from './invalid-field.ts';
import { type BodyLimits, readJsonBody } from './request-body.ts';

/** What handlers are mounted on and work with. */
export interface Surface {
  readonly app: Hono;
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly limits: BodyLimits;
}

export type Handler<Name extends RouteName> = (
  input: RouteArguments<Name>,
  caller: Caller,
  c: Context,
) => Promise<RouteReply<Name> | Response>;

/**
 * Puts a handler on a route of the contract: who asks may do so, and what the handler is given has been
 * validated. Nothing of a request is read before its caller is known.
 */
export function mount<Name extends Exclude<RouteName, 'joinWorker'>>(
  surface: Surface,
  name: Name,
  handler: Handler<Name>,
): void {
  const route = routes[name];
  surface.app.on(route.method.toUpperCase(), honoPath(route.path), async (c) => {
    const caller = await surface.authenticator.admit(c, name);
    const reply = await handler(await readInput(surface, name, c), caller, c);
    return reply instanceof Response ? reply : c.json(reply);
  });
}

/** What a request to a route says, validated. Throws `RefusedRequest`. */
export async function readInput<Name extends RouteName>(
  surface: Pick<Surface, 'limits'>,
  name: Name,
  c: Context,
): Promise<RouteArguments<Name>> {
  const schemas = schemasOf(routes[name]);
  const parse = (schema: (typeof schemas)['body'], value: unknown) => {
    if (schema === undefined) return {};
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw invalidField(parsed.error);
    return parsed.data;
  };
  const input = {
    params: parse(schemas.params, c.req.param()),
    query: parse(schemas.query, c.req.query()),
    body: schemas.body === undefined ? undefined : parse(schemas.body, await readJsonBody(c, surface.limits)),
  };
  // The schemas that made `input` are the ones that its type is derived from.
  return input as unknown as RouteArguments<Name>;
}

/** A reply that is JSON text already, because some of it is passed on as it came. */
export function jsonResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } });
}

/** `/v1/jobs/{id}` as Hono writes it: `/v1/jobs/:id`. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
