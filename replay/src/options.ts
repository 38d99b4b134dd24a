import { parseArgs } from 'node:util';
import { BadOption } from '@macbatch/bench';
import { messageOf } from '@macbatch/core';
import type { Rules } from './measured.ts';
import { isScenario, SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';

/** Says whether the replay works, and nothing about scheduling. */
const SMOKE = 'smoke';
const REPLAYED = SCENARIO_NAMES.filter((name) => name !== SMOKE);

export const HELP = `Usage: npm run replay -- [options]

Runs the real control plane, store and agents through the scenarios of the scheduling simulation, with clocks
that go many times as fast as real ones, and compares. Progress is on standard error.

  --scenario A,B   only these: ${REPLAYED.slice(0, 7).join(', ')},
                   ${REPLAYED.slice(7).join(', ')}; or ${SMOKE}, a short one
  --rules WHICH    product, base (a worker that does what the base rules ask, and no more) or both (default)
  --factor N       how many times as fast as real ones the clocks go (default 30; less in short scenarios
                   and for 40 Macs)
  --seed N         of the traces and the work of the items (default 1)
  --most N         cut a run off after N times the ideal (default 12)
  --json FILE      write what was measured to a file
  --from FILE      show what was written to a file before, and run nothing; may be given several times
  --write          put the table into docs/scheduling.md
  --help           this text`;

export interface Options {
  readonly scenarios: readonly ScenarioName[];
  readonly rules: readonly Rules[];
  /** Null leaves it to the scenario. */
  readonly factor: number | null;
  readonly seed: number;
  readonly most: number;
  readonly json: string | null;
  readonly from: readonly string[];
  readonly write: boolean;
  readonly help: boolean;
}

export function readOptions(args: readonly string[]): Options {
  const values = parsed(args);
  return {
    scenarios: values.scenario === undefined ? REPLAYED : values.scenario.split(',').map(scenarioNamed),
    rules: rulesNamed(values.rules ?? 'both'),
    factor: values.factor === undefined ? null : number('factor', values.factor, 1, 1000),
    seed: number('seed', values.seed ?? '1', 0, 1_000_000),
    most: number('most', values.most ?? '12', 1, 1000),
    json: values.json ?? null,
    from: values.from ?? [],
    write: values.write,
    help: values.help,
  };
}

function scenarioNamed(name: string): ScenarioName {
  if (isScenario(name)) return name;
  throw new BadOption(`--scenario: there is no ${name}. Scenarios: ${SCENARIO_NAMES.join(', ')}.`);
}

function rulesNamed(name: string): readonly Rules[] {
  if (name === 'both') return ['product', 'base'];
  if (name === 'product' || name === 'base') return [name];
  throw new BadOption(`--rules must be product, base or both, not ${name}.`);
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BadOption(`--${name} must be a whole number from ${least} to ${most}, not ${text}.`);
}

function parsed(args: readonly string[]) {
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
