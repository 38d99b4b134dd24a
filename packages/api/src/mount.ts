import { type RouteArguments, type RouteName, type RouteReply, routes, schemasOf } from '@macbatch/contract';
import type { Context, Hono } from 'hono';
import { invalidField } from './invalid-field.ts';
import { readJsonBody } from './request-body.ts';

export type Handler<Name extends RouteName> = (
  input: RouteArguments<Name>,
  c: Context,
) => Promise<RouteReply<Name> | Response>;

/** Puts a handler on a route of the contract: what it is given has been validated. */
export function mount<Name extends RouteName>(
  app: Hono,
  name: Name,
  limits: { readonly maxJsonBytes: number },
  handler: Handler<Name>,
): void {
  const route = routes[name];
  const schemas = schemasOf(route);
  const parse = (schema: (typeof schemas)['body'], value: unknown) => {
    if (schema === undefined) return {};
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw invalidField(parsed.error);
    return parsed.data;
  };
  app.on(route.method.toUpperCase(), honoPath(route.path), async (c) => {
    const input = {
      params: parse(schemas.params, c.req.param()),
      query: parse(schemas.query, c.req.query()),
      body:
        schemas.body === undefined
          ? undefined
          : parse(schemas.body, await readJsonBody(c, limits.maxJsonBytes)),
    };
    // The schemas that made `input` are the ones that its type is derived from.
    const reply = await handler(input as unknown as RouteArguments<Name>, c);
    return reply instanceof Response ? reply : c.json(reply);
  });
}

/** A reply that is JSON text already, because some of it is passed on as it came. */
export function jsonResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } });
}

/** `/v1/jobs/{id}` as Hono writes it: `/v1/jobs/:id`. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
