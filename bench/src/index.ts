export { BadOption } from './bad-option.ts';
export { serveParent } from './load/serve-parent.ts';
export { describeMachine } from './machine.ts';
export { nextMessage } from './next-message.ts';
