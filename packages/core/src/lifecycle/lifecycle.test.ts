import { expect, it } from 'vitest';
import { lifecyclePage } from '../testing/lifecycle-page/page.ts';

it('T1: LIFECYCLE.md states what every event makes of every task', async () => {
  await expect(lifecyclePage()).toMatchFileSnapshot('../../LIFECYCLE.md');
});
