import type { BenchServer } from './bench-server.ts';

/** One line of the table. */
export interface Line {
  /** What was measured, as `store, 100 a batch`. */
  readonly what: string;
  readonly value: number | null;
  readonly unit: string;
  /** What the ratio is to; null where the value itself is judged. */
  readonly to: string | null;
  readonly ratio: number | null;
  /** Below this (above it, where less is better) is a regression. Null where nothing is demanded. */
  readonly floor: number | null;
  readonly goal: number | null;
  readonly better: 'more' | 'less';
}

/** A line with what it does not name left open. */
export function figure(
  given: Pick<Line, 'what' | 'value' | 'unit'> & Partial<Omit<Line, 'what' | 'value' | 'unit'>>,
): Line {
  return { to: null, ratio: null, floor: null, goal: null, better: 'more', ...given };
}

interface Scale {
  /** A small run that shows that everything works; its figures mean little. */
  readonly quick: boolean;
  /** How often each contestant runs. */
  readonly rounds: number;
}

export interface Bench extends Scale {
  readonly server: BenchServer;
  readonly progress: (text: string) => void;
}

/** A family of lines that are measured together, because their ratios are to the same peers. */
export interface Row {
  readonly name: string;
  readonly title: string;
  measure(bench: Bench): Promise<Line[]>;
}

/** Whether a line reaches its goal, its floor, neither, or has none. */
export function verdict(line: Line): 'goal' | 'floor' | 'MISSED' | 'n/a' | '' {
  const judged = line.to === null ? line.value : line.ratio;
  if (line.floor === null && line.goal === null) return '';
  if (judged === null || Number.isNaN(judged)) return 'n/a';
  const reaches = (mark: number | null) =>
    mark !== null && (line.better === 'more' ? judged >= mark : judged <= mark);
  if (reaches(line.goal)) return 'goal';
  return reaches(line.floor) ? 'floor' : 'MISSED';
}
