import { expect, it } from 'vitest';
import { classifyLabels } from './classify-labels.ts';

it('reads labels from an array, or from an object with descriptions', () => {
  expect(classifyLabels({ labels: ['spam', 'ham'] })).toEqual({
    ok: true,
    labels: [
      { name: 'spam', description: 'spam' },
      { name: 'ham', description: 'ham' },
    ],
  });
  expect(classifyLabels({ labels: { spam: 'advertising', ham: 'letters of friends' } })).toEqual({
    ok: true,
    labels: [
      { name: 'spam', description: 'advertising' },
      { name: 'ham', description: 'letters of friends' },
    ],
  });
});
