import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

const STYLES = { good: ['bold', 'green'], bad: ['bold', 'red'], weak: ['dim'] } as const;

/** Colours a text for its meaning. */
export type Paint = (meaning: keyof typeof STYLES, text: string) => string;

/** Returns a `Paint` that colours on a terminal, and nothing else: no colours with `NO_COLOR` or on a dumb terminal. */
export function paintFor(out: Writable, env: Readonly<Record<string, string | undefined>>): Paint {
  const isTerminal = Reflect.get(out, 'isTTY') === true;
  const plain = !isTerminal || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return (meaning, text) => (plain ? text : styleText([...STYLES[meaning]], text, { validateStream: false }));
}
