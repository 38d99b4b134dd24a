import type { Child } from 'hono/jsx';
import { Command } from '../empty-state.tsx';
import type { PageContent } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';

/** What an action asks before it acts. */
export interface Confirmation {
  readonly title: string;
  /** What happens, in full sentences. */
  readonly body: Child;
  /** The label of the button, with the scope and the number. */
  readonly button: string;
  /** Whether it takes something away. */
  readonly isDestructive: boolean;
  /** The same on the command line. */
  readonly command: string;
  /** Where to go without acting. */
  readonly back: string;
  /** Fields of the form. */
  readonly fields?: Child;
}

/** Asks once, on a page of its own, so that it works without script and has an address. */
export function confirmPage({ url }: PageContext, asked: Confirmation): PageContent {
  return {
    title: asked.title,
    summary: null,
    topics: [],
    body: (
      <section class="confirm">
        <h1>{asked.title}</h1>
        {asked.body}
        <form method="post" action={url.pathname + url.search}>
          {asked.fields}
          <p class="buttons">
            <button type="submit" class={asked.isDestructive ? 'danger' : undefined}>
              {asked.button}
            </button>
            <a class="button quiet" href={asked.back}>
              Back
            </a>
          </p>
        </form>
        <h2>The same on the command line</h2>
        <Command text={asked.command} />
      </section>
    ),
  };
}
