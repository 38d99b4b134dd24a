import { expect, test } from 'vitest';
import { labelsOf, nearestLabel } from './zero-shot.ts';

test('refuses params without labels as permanent and names params.labels', () => {
  const read = () => labelsOf({ labels: ['spam'] });
  expect(read).toThrow(expect.objectContaining({ failure: 'permanent', code: 'invalid_params' }));
  expect(read).toThrow('params.labels: expected at least 2 labels, got 1');
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
