/** Replaces control characters: a worker or another group must not control the user's terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\ufffd');
}
