export { BadOption } from './bad-option.ts';
export { describeMachine } from './machine.ts';
export { nextMessage } from './next-message.ts';
