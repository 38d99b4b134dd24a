import { type RouteArguments, type RouteName, type RouteReply, routes, schemasOf } from '@macbatch/contract';
import type { Store } from '@macbatch/store';
import type { Context, Hono } from 'hono';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Caller } from '../auth/caller.ts';
import { invalidField } from './invalid-field.ts';
import { type BodyLimits, readJsonBody } from './request-body.ts';

/** What the handlers need: the app to mount on, the store, the authenticator and the limits. */
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
 * Mounts a handler on a route of the contract. The handler runs only for an admitted caller, with validated
 * arguments. The caller is checked before the body is read.
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

/** Reads and validates the arguments of a request. Throws `RefusedRequest`. */
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
  const input: object = {
    params: parse(schemas.params, c.req.param()),
    query: parse(schemas.query, c.req.query()),
    body: schemas.body === undefined ? undefined : parse(schemas.body, await readJsonBody(c, surface.limits)),
  };
  // `input` was parsed by the schemas that its type derives from.
  return input as RouteArguments<Name>;
}

/** A reply that is already JSON text, because it contains exact text from the database. */
export function jsonResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } });
}

/** Converts `/v1/jobs/{id}` to Hono's syntax, `/v1/jobs/:id`. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
