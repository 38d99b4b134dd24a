/** What was asked for on the command line can't be done; the message says what can. */
export class BadOption extends Error {}
