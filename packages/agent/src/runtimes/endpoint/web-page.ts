/** Longest part of a page without a title that is repeated. */
const MAX_EXCERPT_LENGTH = 200;

/** Whether a reply is a web page, such as the sign-in page of a network. JSON never begins with markup. */
export function isWebPage(body: string): boolean {
  return /^\uFEFF?\s*<[!?a-z]/i.test(body);
}

/** What a web page says: its title, or its beginning. */
export function pageText(body: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body.slice(0, 10_000))?.[1]?.trim();
  return title === undefined || title === '' ? body.trim().slice(0, MAX_EXCERPT_LENGTH) : title;
}
