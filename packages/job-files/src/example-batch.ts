import type { Draft } from './submission.ts';

/** The topics for the zero-shot classifier, each with words that describe it. */
const LABELS = {
  economy: 'economy, jobs, wages, business and growth',
  budget: 'taxes, federal budget, deficit and spending',
  war: 'war, troops, terrorism, military and national defense',
  diplomacy: 'foreign nations, allies, treaties, freedom and democracy abroad',
  health: 'health care, doctors, medicine and insurance',
  education: 'schools, teachers, students and college',
  energy: 'energy, oil, climate and the environment',
  crime: 'crime, police, guns, drugs and courts',
  immigration: 'immigration, immigrants and the border',
  family: 'families, children, parents, values and community',
};

/**
 * The batch that `npm start` runs: classifies passages of State of the Union addresses by topic.
 */
export function exampleBatch(): Draft {
  return {
    header: { job_type: 'classify', model: 'use-lite', params: { labels: LABELS }, retry_on: 'errors' },
    async *lines() {
      const { examplePassages } = await import('./example-passages.ts');
      for await (const { id, text } of examplePassages()) yield JSON.stringify({ id, payload: { text } });
    },
    placeOf: (position) => `passage ${position}`,
  };
}
