import { parseArgs } from 'node:util';
import { BadOption } from '@macbatch/bench';
import { messageOf } from '@macbatch/core';
import type { Rules } from './measured.ts';
import { isScenario, SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';

/** Checks that the replay works, and says nothing about scheduling. */
const SMOKE = 'smoke';
const REPLAYED = SCENARIO_NAMES.filter((name) => name !== SMOKE);

export const HELP = `Usage: npm run replay -- [options]

Runs the real control plane, store and agents through the scenarios of the scheduling simulation with fast
clocks, and compares the results. Progress is on standard error.

  --scenario A,B   run only these: ${REPLAYED.slice(0, 7).join(', ')},
                   ${REPLAYED.slice(7).join(', ')}; or ${SMOKE}, a short one
  --rules WHICH    product, base (the simplest worker that keeps the base rules) or both (default)
  --factor N       run the clocks N times as fast as real ones (default 30; less in short scenarios
                   and with 40 Macs)
  --seed N         seed of the traces and of the items' work (default 1)
  --most N         cut off a run after N times the ideal (default 12)
  --json FILE      write the results to a file
  --from FILE      show the results in a file and run nothing (repeatable)
  --write          write the table to docs/scheduling.md
  --help           print this text`;

export interface Options {
  readonly scenarios: readonly ScenarioName[];
  readonly rules: readonly Rules[];
  /** Null means the default of the scenario. */
  readonly factor: number | null;
  readonly seed: number;
  readonly most: number;
  readonly json: string | null;
  readonly from: readonly string[];
  readonly write: boolean;
  readonly help: boolean;
}

/** Parses the command line. Throws `BadOption`. */
export function readOptions(args: readonly string[]): Options {
  const values = parse(args);
  return {
    scenarios: values.scenario === undefined ? REPLAYED : values.scenario.split(',').map(parseScenario),
    rules: parseRules(values.rules ?? 'both'),
    factor: values.factor === undefined ? null : parseNumber('factor', values.factor, 1, 1000),
    seed: parseNumber('seed', values.seed ?? '1', 0, 1_000_000),
    most: parseNumber('most', values.most ?? '12', 1, 1000),
    json: values.json ?? null,
    from: values.from ?? [],
    write: values.write,
    help: values.help,
  };
}

function parseScenario(name: string): ScenarioName {
  if (isScenario(name)) return name;
  throw new BadOption(`--scenario: there is no ${name}. Scenarios: ${SCENARIO_NAMES.join(', ')}.`);
}

function parseRules(name: string): readonly Rules[] {
  if (name === 'both') return ['product', 'base'];
  if (name === 'product' || name === 'base') return [name];
  throw new BadOption(`--rules must be product, base or both, not ${name}.`);
}

function parseNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BadOption(`--${name} must be a whole number from ${least} to ${most}, not ${text}.`);
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        scenario: text,
        rules: text,
        factor: text,
        seed: text,
        most: text,
        json: text,
        from: { ...text, multiple: true },
        write: flag,
        help: flag,
      },
    });
    return values;
  } catch (error) {
    throw new BadOption(messageOf(error));
  }
}
