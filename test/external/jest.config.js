// Tests with programs that are not part of Cairn: npm run test:external
import base, { project, withDatabase } from '../../jest.config.js';

export default {
  ...base,
  passWithNoTests: true,
  maxWorkers: 1, // each test starts several servers
  projects: [project('external', ['<rootDir>/test/external/**/*.spec.ts'], withDatabase)],
};
