import type { Child } from 'hono/jsx';

/** Says that there is nothing yet, and the command that changes it. */
export function NothingYet({
  title,
  command,
  children,
}: {
  readonly title: string;
  readonly command?: string;
  readonly children?: Child;
}) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
      {command !== undefined && <Command text={command} />}
    </section>
  );
}

/** Says that the filter matches nothing, and offers to clear it. */
export function NoMatch({ what, clear }: { readonly what: string; readonly clear: string }) {
  return (
    <section class="empty">
      <h2>No {what} match this filter</h2>
      <p>
        <a href={clear}>Clear the filter</a>
      </p>
    </section>
  );
}

/** A command line to copy. */
export function Command({ text }: { readonly text: string }) {
  return (
    <p class="command">
      <code>{text}</code>
      <button class="quiet copy" type="button" data-copy={text} hidden>
        Copy
      </button>
    </p>
  );
}
