import type { PageContent } from './layout.tsx';

/** A page that says why there is nothing else to see. */
export function problemPage(title: string, text: string): PageContent {
  return {
    title,
    summary: null,
    topics: [],
    body: (
      <section class="empty">
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a href="/">All jobs</a>
        </p>
      </section>
    ),
  };
}
