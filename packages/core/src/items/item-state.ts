/** What has become of an item: an outcome, a task that has failed without one, or nothing yet. */
export const ITEM_STATES = ['ok', 'error', 'failed', 'open'] as const;
export type ItemState = (typeof ITEM_STATES)[number];
