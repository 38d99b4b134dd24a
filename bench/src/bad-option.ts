/** A command line option is not valid. The message lists the valid values. */
export class BadOption extends Error {}
