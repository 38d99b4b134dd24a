import type { JobType } from '@macbatch/core';
import { cellText, memberTexts } from './outcome.ts';

/** The member of an output that a person wants to see, by job type. */
const MAIN_MEMBER: { readonly [Type in JobType]?: string } = {
  chat: 'text',
  generate: 'text',
  classify: 'label',
};

/** The answer or the label in an output; the JSON text of any other output. */
export function mainText(output: string | undefined, jobType: JobType): string {
  const name = MAIN_MEMBER[jobType];
  const isObject = output?.startsWith('{') === true;
  const main = name !== undefined && isObject ? memberTexts(output).get(name) : undefined;
  return cellText(main?.startsWith('"') === true ? main : output);
}
