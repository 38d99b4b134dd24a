import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OLDEST_NODE } from '@macbatch/doctor';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from './commands.ts';
import { WORKSPACE } from './workspace.ts';

interface Workflow {
  readonly on: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly 'runs-on': string;
  readonly needs?: unknown;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: {
    readonly matrix: { readonly os: readonly string[]; readonly node: readonly string[] };
  };
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

const FOLDER = join(WORKSPACE, '.github/workflows');
const files = readdirSync(FOLDER);
const read = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8')) as Workflow;
const { scripts } = JSON.parse(readFileSync(join(WORKSPACE, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** The shell commands of a workflow, one a line. */
const commandsOf = ({ jobs }: Workflow) =>
  Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.split('\n')));

describe.each(files)('%s', (file) => {
  const workflow = read(file);
  const commands = commandsOf(workflow);

  it('has jobs whose actions have versions', () => {
    const used = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ uses = [] }) => uses));
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@v\d+$/);
  });

  it('runs scripts, test files and release commands that exist', () => {
    for (const line of commands) {
      const [, script] = /\bnpm (?:run (?:--silent )?)?(test|start|[a-z]+)\b/.exec(line) ?? [];
      if (script !== undefined && !['install', 'publish'].includes(script))
        expect(scripts).toHaveProperty(script);
      const [, release] = /\brelease -- ([a-z]+)/.exec(line) ?? [];
      if (release !== undefined) expect(COMMANDS).toHaveProperty(release);
      for (const [path] of line.matchAll(/\b[\w/-]+\.test\.ts\b/g))
        expect(existsSync(join(WORKSPACE, path))).toBe(true);
    }
  });
});

it('ci.yml installs the package on Linux and macOS with the oldest Node and every later major version', () => {
  const { jobs } = read('ci.yml');
  const { os = [], node = [] } = jobs['installed']?.strategy?.matrix ?? {};
  expect(os).toEqual(['ubuntu-latest', 'macos-latest']);
  expect(node[0]).toBe(`${OLDEST_NODE.join('.')}.0`);
  const majors = [...new Set(node.map((version) => Number(version.split('.')[0])))];
  const [oldestMajor] = OLDEST_NODE;
  expect(majors).toEqual(majors.map((_, n) => oldestMajor + n));
  expect(majors.length).toBeGreaterThan(3);
});

it('release.yml publishes with provenance only what was packed and tried, after an approval', () => {
  const workflow = read('release.yml');
  const publish = workflow.jobs['publish'];
  expect(publish).toMatchObject({
    needs: ['pack', 'try'],
    environment: 'npm',
    permissions: { 'id-token': 'write' },
  });
  expect(JSON.stringify(workflow.on)).toBe('{"push":{"tags":["v*"]}}');
  const publishing = commandsOf(workflow).filter((line) => line.includes('npm publish'));
  expect(publishing).toEqual([expect.stringContaining('--provenance')]);
  expect(publish?.steps.some(({ uses }) => uses?.startsWith('actions/checkout'))).toBe(false);
});
