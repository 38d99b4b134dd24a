import type { z } from '@hono/zod-openapi';
import type { routes } from './routes.ts';

/** Name of a route of the table. */
export type RouteName = keyof typeof routes;
type Route<Name extends RouteName> = (typeof routes)[Name];

type Schema<Holder> = Holder extends z.ZodType ? Holder : never;
type Request<Name extends RouteName> =
  Route<Name> extends { request: infer Shape } ? Shape : Record<never, never>;

type ParamsSchema<Name extends RouteName> =
  Request<Name> extends { params: infer Params } ? Schema<Params> : never;
type QuerySchema<Name extends RouteName> =
  Request<Name> extends { query: infer Query } ? Schema<Query> : never;
type BodySchema<Name extends RouteName> =
  Request<Name> extends { body: { content: { 'application/json': { schema: infer Body } } } }
    ? Schema<Body>
    : never;
type ReplySchema<Name extends RouteName> =
  Route<Name> extends { responses: { 200: { content: { 'application/json': { schema: infer Reply } } } } }
    ? Schema<Reply>
    : never;

type Part<Key extends string, SchemaType extends z.ZodType, Direction> = [SchemaType] extends [never]
  ? Record<never, never>
  : { readonly [K in Key]: Direction extends 'sent' ? z.input<SchemaType> : z.output<SchemaType> };

/** What a caller sends to a route. */
export type RouteInput<Name extends RouteName> = Part<'params', ParamsSchema<Name>, 'sent'> &
  Part<'query', QuerySchema<Name>, 'sent'> &
  Part<'body', BodySchema<Name>, 'sent'>;

/** What a handler is given, validated. */
export type RouteArguments<Name extends RouteName> = Part<'params', ParamsSchema<Name>, 'parsed'> &
  Part<'query', QuerySchema<Name>, 'parsed'> &
  Part<'body', BodySchema<Name>, 'parsed'>;

/** The JSON that a route answers with. */
export type RouteReply<Name extends RouteName> = z.output<ReplySchema<Name>>;

/** Schemas of one route as they are at run time. */
export interface RouteSchemas {
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly reply?: z.ZodType;
}

interface RouteValue {
  readonly request?: {
    readonly params?: unknown;
    readonly query?: unknown;
    readonly body?: { readonly content: Readonly<Record<string, { readonly schema?: unknown } | undefined>> };
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly schema?: unknown } | undefined>> } | undefined
    >
  >;
}

/** Takes the schemas out of a route value. */
export function schemasOf(route: RouteValue): RouteSchemas {
  const found = {
    params: route.request?.params,
    query: route.request?.query,
    body: route.request?.body?.content['application/json']?.schema,
    reply: route.responses['200']?.content?.['application/json']?.schema,
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, schema]) => schema !== undefined),
  ) as RouteSchemas;
}
