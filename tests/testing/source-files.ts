import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor, type VisitorObject } from 'oxc-parser';
import { WORKSPACE } from './workspace.ts';

/** A TypeScript file of the workspace. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Whether the file is only for tests or benchmarks. */
  readonly isTest: boolean;
  /** The modules that the file imports. */
  readonly specifiers: readonly string[];
  readonly comments: readonly string[];
  /** Restricted things that the file does. Each is allowed in few places, or nowhere. */
  readonly findings: ReadonlySet<Finding>;
}

export type Finding =
  | 'any'
  | 'non-null assertion'
  | 'reads the environment'
  | 'ends the process'
  | 'handles signals'
  | 'writes to the console';

/** Lists the files in version control, and new files that are not ignored. */
export function workspaceFiles(): string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: WORKSPACE,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(WORKSPACE, path)));
}

/** Parses one file. Uses oxc-parser, as knip does, because TypeScript 7 exports no parser. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const findings = new Set<Finding>();
  const specifiers = new Set(module.staticImports.map(({ moduleRequest }) => moduleRequest.value));
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest } of entries) if (moduleRequest !== null) specifiers.add(moduleRequest.value);
  }
  new Visitor(findingVisitor(findings, (specifier) => specifiers.add(specifier))).visit(program);
  return {
    path,
    text,
    isTest: /\.test\.ts$|\.fixture\.ts$|\/testing\/|^(tests|bench|replay|release)\//.test(path),
    specifiers: [...specifiers],
    comments: comments.map(({ value }) => value),
    findings,
  };
}

const SIGNAL_METHODS = new Set(['on', 'once', 'addListener']);
const EXIT_METHODS = new Set(['exit', 'abort']);

function findingVisitor(findings: Set<Finding>, onImport: (specifier: string) => void): VisitorObject {
  return {
    TSAnyKeyword: () => void findings.add('any'),
    TSNonNullExpression: () => void findings.add('non-null assertion'),
    ImportExpression({ source }) {
      if (source.type === 'Literal' && typeof source.value === 'string') onImport(source.value);
    },
    TSImportType({ source }) {
      onImport(source.value);
    },
    MemberExpression({ object, property }) {
      if (object.type !== 'Identifier' || property.type !== 'Identifier') return;
      if (object.name === 'console') findings.add('writes to the console');
      if (object.name === 'process' && property.name === 'env') findings.add('reads the environment');
    },
    CallExpression({ callee }) {
      if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return;
      if (callee.object.name !== 'process' || callee.property.type !== 'Identifier') return;
      if (EXIT_METHODS.has(callee.property.name)) findings.add('ends the process');
      if (SIGNAL_METHODS.has(callee.property.name)) findings.add('handles signals');
    },
    AssignmentExpression({ left }) {
      if (left.type !== 'MemberExpression' || left.object.type !== 'Identifier') return;
      if (left.object.name !== 'process' || left.property.type !== 'Identifier') return;
      if (left.property.name === 'exitCode') findings.add('ends the process');
    },
  };
}
