// Node's own loader and globals in place of Jest's, so that each worker loads the application once (docs/development.md).
export const project = (name, testMatch, more = {}) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  testMatch,
  testEnvironment: '<rootDir>/test/runner/environment.cjs',
  runtime: '<rootDir>/test/runner/runtime.cjs',
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data'],
  ...more,
});

// One database server for the whole run, and none for a run of unit tests alone.
export const withDatabase = {
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
};

export default {
  testTimeout: 120_000, // for the slowest machine that should pass; no test asserts a duration
  maxWorkers: '100%',
  workerIdleMemoryLimit: '350MB',
  testSequencer: `${import.meta.dirname}/test/runner/sequencer.cjs`,
  projects: [
    project('unit', ['<rootDir>/src/**/*.spec.ts', '<rootDir>/web/src/**/*.spec.ts']),
    project('medium', ['<rootDir>/test/medium/**/*.spec.ts'], withDatabase),
    project(
      'api',
      ['<rootDir>/test/api/**/*.spec.ts', '<rootDir>/{examples,extensions}/*/test/**/*.spec.ts'],
      withDatabase,
    ),
    project('architecture', ['<rootDir>/test/architecture/**/*.spec.ts']),
  ],
};
