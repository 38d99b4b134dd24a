import { readFileSync } from 'node:fs';
import type { Line } from './row.ts';

/** The lines of one row, measured with the data in one folder. */
export interface Outcome {
  readonly row: string;
  readonly title: string;
  readonly dir: string;
  readonly lines: readonly Line[];
}

/** A run, with the facts that distinguish it from other runs. */
export interface Run {
  readonly command: string;
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly outcomes: readonly Outcome[];
}

/** Lists the versions of Node, Postgres and the peers. */
export function versions(postgresVersion: string): Record<string, string> {
  return {
    node: process.versions.node,
    postgres: postgresVersion,
    'graphile-worker': versionOf('graphile-worker'),
    'pg-boss': versionOf('pg-boss'),
  };
}

function versionOf(name: string): string {
  const manifest = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version: unknown }).version);
}
