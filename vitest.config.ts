import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default defineConfig({
  test: {
    // One more than the cores of CI, because many tests wait for a process or a lease.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          // Without isolation, modules are imported once: this saves a third of the time. No test changes a module.
          isolate: false,
          include: ['{packages,apps}/*/src/**/*.test.ts', '{bench,replay}/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.integration.test.ts'],
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
          include: ['tests/**/*.test.ts'],
          // Real servers, processes and signals on a shared machine may be slow. The output names each retry.
          retry: 1,
          globalSetup: ['./packages/store/src/testing/template-database.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
