/** A time as OpenAI writes it: whole seconds since 1970. */
export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
