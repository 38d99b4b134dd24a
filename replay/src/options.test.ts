import { expect, it } from 'vitest';
import { readOptions } from './options.ts';

it.each([
  [['--scenario', 'homo8,none'], '--scenario: there is no none. Scenarios: homo8'],
  [['--rules', 'mine'], '--rules must be product, base or both'],
  [['--factor', '0'], '--factor must be a whole number from 1 to 1000, not 0'],
  [['--factor', ''], '--factor must be'],
  [['--seed', 'x'], '--seed must be'],
  [['--most', '1.5'], '--most must be'],
  [['--speed', '2'], '--speed'],
  [['churn'], 'churn'],
])('refuses %j and says why', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

it('replays all scenarios with both rules by default', () => {
  const { scenarios, rules } = readOptions([]);
  expect(scenarios).toHaveLength(13);
  expect(scenarios).not.toContain('smoke');
  expect(rules).toEqual(['product', 'base']);
});
