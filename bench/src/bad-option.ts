/** A command line option is not valid. The message says what is. */
export class BadOption extends Error {}
