/** How long a rendered fragment is shared. */
const SHARED_MS = 1000;
/** Most fragments that are kept at the same time. */
const MAX_KEPT = 500;

/**
 * Shares what was rendered for equal requests within a second, so that the cost of a page does not grow with the
 * number of tabs that show it.
 */
export class RenderedOnce {
  readonly #kept = new Map<string, { readonly at: number; readonly text: Promise<string> }>();
  readonly #monotonicMs: () => number;
  #clearedAt: string | undefined;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Returns the text that was rendered for this key less than a second ago, or renders it. */
  get(key: string, render: () => Promise<string>): Promise<string> {
    const now = this.#monotonicMs();
    const known = this.#kept.get(key);
    if (known !== undefined && now - known.at < SHARED_MS) return known.text;
    const text = render();
    this.#kept.delete(key);
    this.#kept.set(key, { at: now, text });
    // An error is not shared with later requests.
    text.catch(() => this.#kept.delete(key));
    for (const [oldest, { at }] of this.#kept) {
      if (now - at < SHARED_MS && this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return text;
  }

  /** Forgets everything, because something was changed here: whoever changed it must not see the state before. */
  clear(): void {
    this.#kept.clear();
  }

  /**
   * Forgets everything, because a change was read: whoever is told of it must not get what was rendered before. All
   * streams tell of the same reading, and only the first one clears. Without a reading, nothing is forgotten.
   */
  clearAt(reading: string | undefined): void {
    if (reading === undefined || reading === this.#clearedAt) return;
    this.#clearedAt = reading;
    this.clear();
  }
}
