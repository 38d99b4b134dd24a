/**
 * The program of `npm test`: runs the static checks, then the tests. Passes its arguments to Vitest, for example
 * `npm test -- packages/store`. The last line of its output has the totals.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const workspace = resolve(import.meta.dirname, '..');
const bin = (name: string) => join(workspace, 'node_modules/.bin', name);
// The tests start many processes of the same sources.
const env = { ...process.env, NODE_COMPILE_CACHE: join(workspace, 'node_modules/.cache/compile') };

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

const CHECKS = [
  { name: 'format and lint', command: [bin('biome'), 'ci', '--colors=off', '.'] },
  { name: 'types', command: [bin('tsc'), '-p', 'tsconfig.json'] },
  { name: 'types of core, without Node', command: [bin('tsc'), '-p', 'packages/core', '--noEmit'] },
  { name: 'unused code', command: [bin('knip'), '--no-progress'] },
] as const;

/** Runs a check. Prints its output only if it fails. */
async function check({ name, command }: (typeof CHECKS)[number]): Promise<boolean> {
  const [program, ...args] = command;
  const started = performance.now();
  const child = spawn(program, args, { cwd: workspace, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? '✓' : '×'} ${name} (${seconds} s)\n`);
  if (code !== 0) process.stdout.write(`${output}\n`);
  return code === 0;
}

/** The parts of Vitest's JSON report that this program reads. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs the tests, and shows Vitest's own output. */
async function test(args: readonly string[]): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), 'macbatch-report-'));
  const path = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  try {
    const child = spawn(bin('vitest'), ['run', ...reporters, ...args], {
      cwd: workspace,
      env,
      stdio: 'inherit',
    });
    const [code] = (await once(child, 'close')) as [number | null];
    const count = countTests(JSON.parse(readFileSync(path, 'utf8')) as Report, args.length === 0);
    // A failure outside all tests.
    if (code !== 0 && count.failed === 0) count.failed = 1;
    return count;
  } catch (error) {
    process.stdout.write(`Vitest wrote no report: ${String(error)}\n`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countTests({ testResults }: Report, nameSkipped: boolean): Count {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const file of testResults) {
    // A file that could not be loaded has no failed tests.
    if (file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'))
      count.failed += 1;
    for (const { status, fullName } of file.assertionResults) {
      if (status === 'passed' || status === 'failed') count[status] += 1;
      else {
        count.skipped += 1;
        if (nameSkipped) process.stdout.write(`skipped: ${fullName}\n`);
      }
    }
  }
  return count;
}

const total: Count = { passed: 0, failed: 0, skipped: 0 };
for (const each of CHECKS) total[(await check(each)) ? 'passed' : 'failed'] += 1;
const tests = await test(process.argv.slice(2));
total.passed += tests.passed;
total.failed += tests.failed;
total.skipped += tests.skipped;
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
