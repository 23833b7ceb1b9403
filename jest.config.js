// ESM under Jest: the npm scripts add --experimental-vm-modules.
const project = (name, testMatch) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  testMatch,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': '@swc/jest' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data'],
});

export default {
  testTimeout: 30_000,
  projects: [
    project('unit', ['<rootDir>/src/**/*.spec.ts']),
    project('medium', ['<rootDir>/test/medium/**/*.spec.ts']),
    project('api', ['<rootDir>/test/api/**/*.spec.ts']),
    project('architecture', ['<rootDir>/test/architecture/**/*.spec.ts']),
  ],
};
