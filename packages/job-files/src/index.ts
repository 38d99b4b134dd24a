export { exampleBatch } from './example-batch.ts';
export { itemLines } from './item-lines.ts';
export { mustBeWritable, writeOutcomes } from './outcome-file.ts';
export { contentKey, type Draft, jobHeader, submitDraft } from './submission.ts';
