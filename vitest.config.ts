import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SLOWEST_FIRST = ['system', 'integration', 'unit'];

/** Starts the slow files first, so that no slow file is left when the others have ended. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => SLOWEST_FIRST.indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    // Twice the cores of CI, because many tests wait for a process or a lease.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          // Without isolation, modules are imported once: this saves a third of the time. No test changes a module.
          isolate: false,
          include: ['{packages,apps}/*/src/**/*.test.ts', '{bench,replay,release}/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.{integration,system}.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          isolate: false,
          include: ['{packages,apps}/*/src/**/*.integration.test.ts'],
          // Real servers, processes and signals on a shared machine may be slow. The output names each retry.
          retry: 1,
          globalSetup: ['./packages/store/src/testing/template-database.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'system',
          isolate: false,
          include: ['tests/**/*.test.ts', '{packages,bench,replay}/**/src/**/*.system.test.ts'],
          // Real servers, processes and signals on a shared machine may be slow. The output names each retry.
          retry: 1,
          globalSetup: [
            './packages/store/src/testing/template-database.ts',
            './tests/testing/bundled-programs.ts',
          ],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
