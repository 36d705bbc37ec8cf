import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
/** True for a run with Jest's own runtime instead of ours (docs/decisions/0020). */
const isStock = Boolean(process.env.STOCK_JEST);

/**
 * One configuration for every project: in `libs/domain/passes`, `npx jest -c ../../../jest.config.mjs` runs its specs.
 * Nx runs the specs of several projects at once (tools/executors).
 */
export default {
  rootDir: process.cwd(),
  testEnvironment: `${root}libs/testing/jest/${isStock ? 'stock-environment' : 'environment'}.cjs`,
  ...(!isStock && { runtime: `${root}libs/testing/jest/runtime.cjs` }),
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    // These specs send signals to stop and restart processes, which is impossible on Windows.
    ...(process.platform === 'win32' ? ['\\b(workers|dev)\\.e2e-spec'] : []),
    // These specs partition the tables themselves, so they need a database without partitions.
    ...(process.env.PARTITIONS ? ['partition[^/]*\\.e2e-spec'] : []),
    // tools/test-citus.mjs leaves these out.
    ...(process.env.CITUS_EXCEPTIONS ? citusExceptions(process.env.CITUS_EXCEPTIONS) : []),
  ],
  modulePathIgnorePatterns: ['/dist/'],
  // Sources of our own packages are used as they are: tests need no build.
  testEnvironmentOptions: { customExportConditions: ['@passwright/source', 'node', 'require', 'default'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
      },
    ],
  },
  globalSetup: `${root}libs/testing/jest/global-setup.cjs`,
  globalTeardown: `${root}libs/testing/jest/global-teardown.cjs`,
  setupFiles: [`${root}libs/testing/jest/no-outside-connections.cjs`, `${root}libs/testing/jest/first-incarnation.cjs`],
  // One more worker than there are cores, because tests wait for clocks and servers now and then.
  maxWorkers: process.env.JEST_WORKERS ?? availableParallelism() + 1,
  // A worker that is replaced loads everything again.
  workerIdleMemoryLimit: '1600MB',
  // On a Citus cluster, a test with many statements takes several times as long.
  testTimeout: process.env.TEST_CITUS_WORKERS ? 120_000 : 30_000,
};

/** Returns a pattern for each spec file that the list excludes as a whole. */
function citusExceptions(file) {
  const whole = JSON.parse(readFileSync(file, 'utf8')).filter(({ tests }) => !tests);
  return whole.map(({ spec }) => `/${spec.replaceAll('.', '\\.')}`);
}
