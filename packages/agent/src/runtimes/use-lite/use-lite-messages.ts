/** What the worker sends to the child process. */
export interface ReadTexts {
  readonly id: number;
  readonly texts: readonly string[];
}

/** The result for one text. */
export interface Reading {
  readonly vector: Float32Array;
  readonly tokens: number;
  readonly truncated: boolean;
}

export type ChildMessage =
  | { readonly kind: 'loaded'; readonly digest: string }
  | { readonly kind: 'unavailable'; readonly code: UnavailableCode; readonly message: string }
  | { readonly kind: 'read'; readonly id: number; readonly readings: readonly (Reading | ReadingError)[] };

export interface ReadingError {
  readonly error: string;
}

export type UnavailableCode = 'runtime_not_installed' | 'runtime_load_failed';
