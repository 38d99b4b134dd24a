import type { BenchServer } from './bench-server.ts';

/** One line of the table of results. */
export interface Line {
  /** What was measured, such as `store, 100 a batch`. */
  readonly what: string;
  readonly value: number | null;
  readonly unit: string;
  /** The peer of the ratio. Null if the value itself is judged. */
  readonly to: string | null;
  readonly ratio: number | null;
  /** A value worse than this is a regression. Null if there is no limit. */
  readonly floor: number | null;
  readonly goal: number | null;
  readonly better: 'more' | 'less';
}

/** Makes a line. Fields that are not given have no value. */
export function figure(
  given: Pick<Line, 'what' | 'value' | 'unit'> & Partial<Omit<Line, 'what' | 'value' | 'unit'>>,
): Line {
  return { to: null, ratio: null, floor: null, goal: null, better: 'more', ...given };
}

interface Scale {
  /** A small run that only checks that everything works. */
  readonly quick: boolean;
  /** How often each contestant runs. */
  readonly rounds: number;
}

export interface Bench extends Scale {
  readonly server: BenchServer;
  readonly progress: (text: string) => void;
}

/** A benchmark: lines that are measured together, because they have the same peers. */
export interface Row {
  readonly name: string;
  readonly title: string;
  measure(bench: Bench): Promise<Line[]>;
}

/** Says in words whether a line reaches its goal or its floor. Empty if it has neither. */
export function verdict(line: Line): 'goal' | 'floor' | 'MISSED' | 'n/a' | '' {
  const judged = line.to === null ? line.value : line.ratio;
  if (line.floor === null && line.goal === null) return '';
  if (judged === null || Number.isNaN(judged)) return 'n/a';
  const reaches = (mark: number | null) =>
    mark !== null && (line.better === 'more' ? judged >= mark : judged <= mark);
  if (reaches(line.goal)) return 'goal';
  return reaches(line.floor) ? 'floor' : 'MISSED';
}
