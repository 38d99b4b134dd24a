import type { PageContent } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import type { Confirmation } from './confirm-page.tsx';

type Params = Readonly<Record<string, string>>;

/** Something that a reader can do: asked about first, then done by the API, which checks the reader's role. */
export interface Action {
  readonly confirm: (context: PageContext, params: Params) => Promise<Confirmation>;
  /** Runs the action. Returns the path to redirect to, or a page that shows the result. */
  readonly run: (
    context: PageContext,
    params: Params,
    form: ReadonlyMap<string, string>,
  ) => Promise<string | PageContent>;
}
