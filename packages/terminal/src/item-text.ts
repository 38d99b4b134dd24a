import type { ItemView, ListedItem } from '@macbatch/contract';
import { printable } from '@macbatch/wording';
import { table } from './table.ts';

const MAX_MESSAGE = 100;

/** Draws a table of items. */
export function itemTable(items: readonly ListedItem[]): string {
  return table(
    ['item', 'id', 'state', 'worker', 'attempt', 'finished', 'bytes in', 'bytes out', 'error'],
    items.map((item) => [
      item.seq,
      printable(item.id),
      item.state,
      printable(item.worker ?? ''),
      item.attempt ?? '–',
      item.finished_at ?? '',
      item.input_bytes,
      item.output_bytes ?? '–',
      errorText(item),
    ]),
  );
}

/** Shows one item: its facts, its attempts, and its texts as they are. */
export function itemText(item: ItemView): string {
  const facts = [
    ['state', item.state],
    ...(item.worker === null ? [] : [['worker', printable(item.worker)]]),
    ...(item.model === null ? [] : [['model', printable(modelText(item))]]),
    ...(item.finished_at === null ? [] : [['finished', item.finished_at]]),
    ...(item.usage === null ? [] : [['usage', printable(item.usage)]]),
    ...(item.reused ? [['reused', 'the outcome belongs to another item with the same input']] : []),
    ['params', printable(item.params)],
  ];
  const attempts = table(
    ['attempt', 'worker', 'leased', ''],
    item.attempts.map((each) => [
      each.attempt,
      printable(each.worker),
      each.leased_at,
      each.current ? 'holds it now' : '',
    ]),
  );
  const texts = [
    ['input', item.input],
    ...(item.output === null ? [] : [['output', item.output]]),
    ...(item.error === null ? [] : [['error', item.error]]),
  ];
  return [
    table([`item ${item.seq}`, printable(item.id)], facts),
    ...(item.attempts.length === 0 ? [] : [attempts]),
    ...texts.map(([name, text = '']) => `${name}\n${text.split('\n').map(printable).join('\n')}`),
  ].join('\n\n');
}

function modelText({ model, model_digest: digest }: ItemView): string {
  return digest === null ? `${model}` : `${model} (${digest})`;
}

function errorText({ error_code: code, error_message: message }: ListedItem): string {
  if (code === null) return '';
  const text = printable(message ?? '');
  return `${printable(code)}: ${text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text}`;
}
