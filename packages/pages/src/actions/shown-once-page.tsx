import type { Child } from 'hono/jsx';
import { Command } from '../empty-state.tsx';
import type { PageContent } from '../layout.tsx';

/** Shows a secret or a command that contains one. It cannot be shown again. */
export function shownOncePage(title: string, text: string, after: Child): PageContent {
  return {
    title,
    summary: null,
    topics: [],
    body: (
      <section class="confirm">
        <h1>{title}</h1>
        <p>It is shown only once: the control plane keeps only its hash.</p>
        <Command text={text} />
        {after}
        <p>
          <a class="button quiet" href="/admin">
            Back
          </a>
        </p>
      </section>
    ),
  };
}
