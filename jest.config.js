// ESM under Jest: the npm scripts add --experimental-vm-modules.
const project = (name, testMatch, more = {}) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  testMatch,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^cairn/extension$': '<rootDir>/src/extension.ts', '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': '@swc/jest' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data'],
  ...more,
});

// One database server for the whole run, and none for a run of unit tests alone.
const withDatabase = {
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
};

export default {
  testTimeout: 120_000, // for the slowest machine that should pass; no test asserts a duration
  maxWorkers: '100%',
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
