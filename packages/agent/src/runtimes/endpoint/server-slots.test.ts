import { expect, test } from 'vitest';
import { serverSlots } from './server-slots.ts';

test.each([
  [{ total_slots: 4, model_path: '/m.gguf' }, 4],
  [{ total_slots: 0 }, null],
  [{ total_slots: 2.5 }, null],
  [{ total_slots: '4' }, null],
  [{ total_slots: 1e9 }, null],
  [{ error: { message: 'not found' } }, null],
  [undefined, null],
])('reads the slots of a server: %j', (body, slots) => {
  expect(serverSlots(body)).toEqual(slots === null ? null : { count: slots, isLimit: true });
});
