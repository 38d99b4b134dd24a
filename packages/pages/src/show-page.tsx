import type { Context } from 'hono';
import type { Asset, AssetName } from './assets.ts';
import { Layout, Main, type PageContent } from './layout.tsx';
import type { PageContext } from './page-context.ts';

export type ShowPage = (
  c: Context,
  context: PageContext,
  content: PageContent,
  status?: 200 | 400 | 403 | 404 | 503,
) => Response | Promise<Response>;

/** Whether a request is for the part of a page that changes. */
export const isFragment = (c: Context) => c.req.header('hx-request') === 'true';

/** Renders the part of a page that changes. */
export const renderFragment = (context: PageContext, content: PageContent) =>
  String(<Main context={context} content={content} />);

/** Makes the function that answers with a page, or with the part of it that the request is for. */
export function showPages(assets: Readonly<Record<AssetName, Asset>>): ShowPage {
  return (c, context, content, status = 200) =>
    c.html(
      isFragment(c)
        ? renderFragment(context, content)
        : `<!DOCTYPE html>${String(<Layout context={context} content={content} assets={assets} />)}`,
      status,
    );
}
