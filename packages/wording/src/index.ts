export { counted, grouped } from './counted.ts';
export { duration, rate } from './duration.ts';
export { eventErrorText } from './event-words.ts';
export { invitationLine } from './invitation-line.ts';
export { noEstimateText, silentHoldersText, stateText, waitText } from './job-words.ts';
export { mixedBuildsText } from './mixed-builds-text.ts';
export { printable } from './printable.ts';
export { troubleHint, troubleText } from './trouble-text.ts';
export { whyIdle, workerState } from './worker-words.ts';
