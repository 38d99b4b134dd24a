import { expect, test } from 'vitest';
import { labelsOf, nearestLabel } from './zero-shot.ts';

test('reads labels from an array, or from an object with descriptions', () => {
  expect(labelsOf({ labels: ['spam', 'ham'] })).toEqual([
    { name: 'spam', description: 'spam' },
    { name: 'ham', description: 'ham' },
  ]);
  expect(labelsOf({ labels: { spam: 'advertising', ham: 'letters of friends' } })).toEqual([
    { name: 'spam', description: 'advertising' },
    { name: 'ham', description: 'letters of friends' },
  ]);
});

test.each([
  [{}],
  [{ labels: 'spam' }],
  [{ labels: ['spam'] }],
  [{ labels: { spam: 'advertising' } }],
  [{ labels: ['spam', 'spam'] }],
  [{ labels: ['spam', ' '] }],
  [{ labels: ['spam', 7] }],
  [{ labels: { spam: 'advertising', ham: null } }],
])('refuses the params %j and names params.labels', (params) => {
  const read = () => labelsOf(params);
  expect(read).toThrow(expect.objectContaining({ failure: 'permanent', code: 'invalid_params' }));
  expect(read).toThrow('params.labels');
});

test('picks the label with the nearest vector, the first of equals, and rounds scores to four decimals', () => {
  const labels = labelsOf({ labels: ['x', '__proto__', 'diagonal'] });
  const vectors = [
    [1, 0],
    [0, 2],
    [1, 1],
  ].map((vector) => Float32Array.from(vector));
  const nearest = nearestLabel(Float32Array.from([0, 3]), labels, vectors);
  expect(JSON.stringify(nearest)).toBe(
    '{"label":"__proto__","scores":{"x":0,"__proto__":1,"diagonal":0.7071}}',
  );
  expect(nearestLabel(Float32Array.from([5, 5]), labels.slice(0, 2), vectors).label).toBe('x');
});
