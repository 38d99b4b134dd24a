import type { Child } from 'hono/jsx';

export interface Column {
  readonly text: string;
  /** `number`: right-aligned. `wide`: takes the room that is left. `actions`: the heading is for screen readers only. */
  readonly kind?: 'number' | 'wide' | 'actions';
}

/** A table that scrolls sideways by itself on narrow screens, by touch and by keyboard. */
export function ScrollTable({
  label,
  columns,
  children,
}: {
  readonly label: string;
  readonly columns: readonly Column[];
  /** The rows. */
  readonly children: Child;
}) {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ text, kind }) => (
              <th scope="col" class={kind === 'actions' ? undefined : kind}>
                {kind === 'actions' ? <span class="visually-hidden">{text}</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
