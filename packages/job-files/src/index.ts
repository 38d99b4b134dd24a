export { exampleBatch } from './example-batch.ts';
export { type InputFile, openInput } from './input-file.ts';
export { itemLines } from './item-lines.ts';
export { writeOutcomes } from './outcome-file.ts';
export { outputTarget } from './output-target.ts';
export { contentKey, type Draft, jobHeader, submitDraft } from './submission.ts';
