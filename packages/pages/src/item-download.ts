import type { Context } from 'hono';
import type { PageContext } from './page-context.ts';
import { pathParam } from './path-param.ts';

/** Answers one text of an item, whole and exactly as it is stored. */
export async function itemDownload({ client }: PageContext, c: Context): Promise<Response> {
  const params = c.req.param();
  const item = await client.call('readItem', {
    params: { id: pathParam(params, 'id') },
    query: { seq: pathParam(params, 'seq') },
  });
  const name = pathParam(params, 'text').replace(/\.json$/, '');
  const texts: Readonly<Record<string, string | null>> = {
    input: item.input,
    output: item.output,
    error: item.error,
    params: item.params,
  };
  const text = texts[name] ?? null;
  if (text === null) return c.notFound();
  return c.body(text, 200, {
    'content-type': 'application/json',
    'content-disposition': `attachment; filename="item-${item.seq}-${name}.json"`,
  });
}
